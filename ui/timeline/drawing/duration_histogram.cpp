#include "ui/timeline/drawing/duration_histogram.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {
namespace {

constexpr int wantedWidth = 300;
constexpr int plotHeight = 64;
constexpr int lowestBar = 2;  ///< a single event among thousands is what one looks for

QString timeText(std::int64_t time_ns) {
    return formatTime(static_cast<double>(time_ns) * 1e-6);
}

}  // namespace

DurationHistogram::DurationHistogram(QWidget* parent) : QFrame(parent) {
    setObjectName("durationHistogram");
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Durations of the matches"));
    hide();
}

void DurationHistogram::setDurations(std::vector<DurationBin> bins, std::optional<std::size_t> chosen) {
    bins_ = std::move(bins);
    chosen_ = chosen;
    setAccessibleDescription(chosen_ ? describe(bins_[*chosen_]) : QString());
    update();
}

QSize DurationHistogram::sizeHint() const {
    return {wantedWidth, plotHeight + QFontMetrics(numberFont(smallTextPx)).height() + 6 * gridPx};
}

QRect DurationHistogram::plot() const {
    const int text = QFontMetrics(numberFont(smallTextPx)).height();
    return rect().adjusted(2 * gridPx, 2 * gridPx, -2 * gridPx, -2 * gridPx - text);
}

QRect DurationHistogram::barArea(std::size_t bin) const {
    const QRect area = plot();
    const auto edge = [&](std::size_t number) {
        return area.left() + static_cast<int>(area.width() * number / std::max<std::size_t>(1, bins_.size()));
    };
    return {QPoint(edge(bin), area.top()), QPoint(edge(bin + 1) - 1, area.bottom())};
}

std::optional<std::size_t> DurationHistogram::binAt(QPoint position) const {
    for (std::size_t bin = 0; bin < bins_.size(); ++bin)
        if (barArea(bin).contains(position)) return bin;
    return {};
}

QString DurationHistogram::describe(const DurationBin& bin) const {
    return tr("%1 of %2 to %3").arg(formatCount(bin.count), timeText(bin.from_ns), timeText(bin.to_ns));
}

void DurationHistogram::choose(std::size_t bin) {
    if (bins_[bin].count == 0) return;
    const bool again = chosen_ == bin;
    emit chosen(again ? std::optional<std::size_t>() : bin);
}

bool DurationHistogram::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QFrame::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto bin = binAt(help->pos());
    showToolTip(help->globalPos(), bin ? describe(bins_[*bin]) : QString(), this);
    return true;
}

void DurationHistogram::paintEvent(QPaintEvent* event) {
    QFrame::paintEvent(event);
    if (bins_.empty()) return;
    const Theme& theme = currentTheme();
    QPainter painter(this);
    const auto highest = static_cast<double>(std::ranges::max(bins_, {}, &DurationBin::count).count);
    for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
        if (bins_[bin].count == 0) continue;
        QRect bar = barArea(bin).adjusted(0, 0, -1, 0);
        const int height =
            std::max(lowestBar, static_cast<int>(std::lround(bar.height() * bins_[bin].count / highest)));
        bar.setTop(bar.bottom() + 1 - height);
        painter.fillRect(bar, chosen_ == bin || !chosen_ ? theme.accent : theme.dim);
    }
    const QRect area = plot();
    painter.fillRect(QRect(area.left(), area.bottom() + 1, area.width(), 1), theme.line);
    painter.setFont(numberFont(smallTextPx));
    painter.setPen(theme.dim);
    const QRect texts(area.left(), area.bottom() + gridPx, area.width(), rect().bottom() - area.bottom() - gridPx);
    painter.drawText(texts, Qt::AlignLeft | Qt::AlignTop, timeText(bins_.front().from_ns));
    painter.drawText(texts, Qt::AlignRight | Qt::AlignTop, timeText(bins_.back().to_ns - 1));
    if (chosen_) {
        painter.setPen(theme.text);
        painter.drawText(texts, Qt::AlignHCenter | Qt::AlignTop, tr("%1 here").arg(formatCount(bins_[*chosen_].count)));
    }
}

void DurationHistogram::mousePressEvent(QMouseEvent* event) {
    if (const auto bin = binAt(event->position().toPoint())) choose(*bin);
}

void DurationHistogram::keyPressEvent(QKeyEvent* event) {
    const auto count = static_cast<std::ptrdiff_t>(bins_.size());
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step != 0 && count > 0) {
        std::ptrdiff_t bin = chosen_ ? static_cast<std::ptrdiff_t>(*chosen_) : step > 0 ? -1 : count;
        do bin += step;
        while (bin >= 0 && bin < count && bins_[static_cast<std::size_t>(bin)].count == 0);
        if (bin >= 0 && bin < count) choose(static_cast<std::size_t>(bin));
        return event->accept();
    }
    if (event->key() == Qt::Key_Escape) {
        emit left();
        return event->accept();
    }
    if (event->key() != Qt::Key_Tab && event->key() != Qt::Key_Backtab) event->accept();
}

}  // namespace overlap::ui
