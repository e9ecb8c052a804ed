#include "ui/shell/figures_bar.h"

#include <QHelpEvent>
#include <QPainter>
#include <QTimer>
#include <QToolTip>
#include <cmath>

#include "ui/document/document.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int gap = 24;
constexpr int value_px = 15;
constexpr int busy_after_ms = 200;  ///< figures of an older plan are dimmed only where evaluation takes this long

Figure compared(const QString& label, const QString& value, double now, double before, const QString& difference,
                const QString& help) {
    Figure figure{label, value, {}, 0, help};
    const double change = now - before;
    figure.difference = difference;
    if (std::abs(change) > 1e-9 * std::max(std::abs(before), 1.0)) figure.change = change < 0 ? 1 : -1;
    return figure;
}

/// A difference of two times is read as a share; that of nothing is told as it is.
QString timeDifference(double now, double before) {
    return before > 0 ? formatDifference(now / before - 1, Unit::Percent) : formatDifference(now - before, Unit::Time);
}

}  // namespace

std::vector<Figure> figuresOf(const Document& document) {
    const auto evaluation = document.evaluation();
    if (!evaluation) return {};
    const Evaluation& baseline = document.baseline();
    const Simulation& now = evaluation->simulation;
    const Simulation& before = baseline.simulation;
    const auto peak = static_cast<double>(evaluation->memory.peak_bytes);
    const auto peak_before = static_cast<double>(baseline.memory.peak_bytes);
    const auto count = static_cast<std::int64_t>(now.collectives.size());
    const auto count_before = static_cast<std::int64_t>(before.collectives.size());
    std::vector<Figure> figures;
    figures.push_back(compared(
        Document::tr("step"), formatTime(now.step_ms), now.step_ms, before.step_ms,
        timeDifference(now.step_ms, before.step_ms),
        Document::tr("Simulated time of the step (streams model); baseline %1").arg(formatTime(before.step_ms))));
    figures.push_back(compared(Document::tr("exposed"), formatTime(now.exposed_ms), now.exposed_ms, before.exposed_ms,
                               timeDifference(now.exposed_ms, before.exposed_ms),
                               Document::tr("Time for which compute stands still for communication; baseline %1")
                                   .arg(formatTime(before.exposed_ms))));
    // Graphs with recomputed tensors look too big to PyTorch's estimator; both figures are shown then.
    const auto corrected = static_cast<double>(evaluation->corrected_memory.peak_bytes);
    const QString peak_label =
        corrected == peak ? Document::tr("peak") : Document::tr("peak · corrected %1").arg(formatBytes(corrected));
    figures.push_back(
        compared(peak_label, formatBytes(peak), peak, peak_before, formatDifference(peak - peak_before, Unit::Bytes),
                 Document::tr("Peak memory as PyTorch's estimator reckons it; with recomputed tensors counted apart %1")
                     .arg(formatBytes(corrected))));
    figures.push_back(compared(Document::tr("collectives"), formatCount(count), static_cast<double>(count),
                               static_cast<double>(count_before),
                               formatDifference(static_cast<double>(count - count_before), Unit::Count),
                               Document::tr("Collectives in the step; baseline %1").arg(formatCount(count_before))));
    const bool is_baseline = document.variant(document.currentIndex()).readOnly();
    for (Figure& figure : figures)
        if (is_baseline || figure.change == 0) figure.difference.clear();
    return figures;
}

FiguresBar::FiguresBar(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    setObjectName("figures");
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&document, &Document::evaluationChanged, this, &FiguresBar::update);
    connect(&document, &Document::evaluatingChanged, this, [this](bool evaluating) {
        if (!evaluating) {
            stale_ = false;
            QWidget::update();
            return;
        }
        QTimer::singleShot(busy_after_ms, this, [this] {
            stale_ = document_.evaluating();
            QWidget::update();
        });
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
    update();
}

void FiguresBar::update() {
    figures_ = figuresOf(document_);
    QStringList texts;
    for (const Figure& figure : figures_)
        texts.append(QStringLiteral("%1 %2 %3").arg(figure.label, figure.value, figure.difference).trimmed());
    setAccessibleName(texts.join(QStringLiteral(", ")));
    updateGeometry();
    QWidget::update();
}

int FiguresBar::cellWidth(const Figure& figure) const {
    const QFontMetrics value(textFont(value_px, QFont::DemiBold));
    const QFontMetrics small(textFont(smallTextPx));
    const int difference = figure.difference.isEmpty() ? 0 : small.horizontalAdvance(figure.difference) + 8;
    return std::max(value.horizontalAdvance(figure.value) + difference, small.horizontalAdvance(figure.label));
}

QSize FiguresBar::sizeHint() const {
    int width = 0;
    for (const Figure& figure : figures_) width += cellWidth(figure) + gap;
    const QFontMetrics value(textFont(value_px, QFont::DemiBold));
    const QFontMetrics small(textFont(smallTextPx));
    return {width, small.height() + value.height()};
}

void FiguresBar::paintEvent(QPaintEvent*) {
    const Theme& theme = currentTheme();
    QPainter painter(this);
    painter.setOpacity(stale_ ? 0.5 : 1);
    const QFont value_font = textFont(value_px, QFont::DemiBold);
    const QFont small_font = textFont(smallTextPx);
    const int label_height = QFontMetrics(small_font).height();
    int x = gap / 2;
    for (const Figure& figure : figures_) {
        painter.setFont(small_font);
        painter.setPen(theme.dim);
        painter.drawText(QRect(x, 0, 200, label_height), Qt::AlignLeft | Qt::AlignTop, figure.label);
        const QRect line(x, label_height - 1, 400, height() - label_height + 1);
        painter.setFont(value_font);
        painter.setPen(theme.text);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, figure.value);
        const int value_width = painter.fontMetrics().horizontalAdvance(figure.value);
        painter.setFont(small_font);
        painter.setPen(figure.change > 0 ? theme.hidden : figure.change < 0 ? theme.caution : theme.dim);
        painter.drawText(line.adjusted(value_width + 8, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, figure.difference);
        x += cellWidth(figure) + gap;
    }
}

bool FiguresBar::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    int x = 0;
    for (const Figure& figure : figures_) {
        const int right = x + cellWidth(figure) + gap;
        if (help->pos().x() >= x && help->pos().x() < right) QToolTip::showText(help->globalPos(), figure.help, this);
        x = right;
    }
    return true;
}

}  // namespace overlap::ui
