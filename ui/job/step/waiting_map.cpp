#include "ui/job/step/waiting_map.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/tool_tip_lines.h"
#include "ui/widgets/charts/axis_ticks.h"

namespace overlap::ui {
namespace {

constexpr int axis_height = 20;
constexpr int figures_width = 64;
constexpr int least_row = 16, most_row = 28;
constexpr double ns_per_ms = 1e6;
constexpr double steps_of_keys = 60;  ///< a key moves by this part of what is shown

using Kind = job::StandstillSpan::Kind;

double msOf(std::int64_t ns) {
    return static_cast<double>(ns) / ns_per_ms;
}

}  // namespace

WaitingMap::WaitingMap(QWidget* parent) : QWidget(parent) {
    setObjectName("waitingMap");
    setAccessibleName(tr("When which ranks stand still"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
}

void WaitingMap::show(std::shared_ptr<const job::JobPicture> picture) {
    picture_ = std::move(picture);
    if (picture_) range_ = picture_->timeline->range();
    if (current_ && current_->row >= rowCount()) current_.reset();
    first_row_ = std::clamp(first_row_, 0, std::max(0, static_cast<int>(rowCount()) - 1));
    update();
}

void WaitingMap::setRange(TimeRange range) {
    range_ = range;
    update();
}

double WaitingMap::shareStandingStill(std::size_t row, TimeRange range) const {
    if (!picture_ || row >= picture_->standstills.size() || range.length_ns() <= 0) return 0;
    const double begin = msOf(range.begin_ns), end = msOf(range.end_ns);
    const std::vector<job::StandstillSpan>& spans = picture_->standstills[row];
    auto span =
        std::ranges::partition_point(spans, [&](const job::StandstillSpan& each) { return each.end_ms <= begin; });
    double sum = 0;
    for (; span != spans.end() && span->begin_ms < end; ++span)
        if (span->kind != Kind::after) sum += std::min(end, span->end_ms) - std::max(begin, span->begin_ms);
    return std::clamp(sum / (end - begin), 0.0, 1.0);
}

QString WaitingMap::shareOfStep(std::size_t row) const {
    // Where ranks stand still for ever the picture's length says nothing.
    if (!picture_ || !picture_->evaluation->result.step_ms) return QStringLiteral("–");
    return formatPercent(shareStandingStill(row, picture_->timeline->range()));
}

quint32 WaitingMap::referenceAt(std::size_t row, double time_ms) const {
    if (!picture_ || row >= picture_->standstills.size()) return no_reference;
    for (const job::StandstillSpan& span : picture_->standstills[row]) {
        if (time_ms < span.begin_ms || time_ms >= span.end_ms) continue;
        return picture_->reference_of(span);
    }
    return no_reference;
}

int WaitingMap::titleWidth() const {
    if (!picture_) return 0;
    const QFontMetrics titles(textFont(normalTextPx)), subtitles(textFont(smallTextPx));
    int widest = 0;
    for (const job::RankRow& row : picture_->rows)
        widest = std::max(widest, titles.horizontalAdvance(QString::fromStdString(row.title)) + 8 +
                                      subtitles.horizontalAdvance(QString::fromStdString(row.subtitle)));
    return std::min(widest + 24, width() / 3);
}

QRect WaitingMap::area() const {
    const int left = titleWidth();
    return {left, axis_height, std::max(1, width() - left - figures_width), std::max(1, height() - axis_height)};
}

int WaitingMap::rowHeight() const {
    const int rows = std::max(1, static_cast<int>(rowCount()));
    return std::clamp(area().height() / rows, least_row, most_row);
}

QPointF WaitingMap::pointOf(std::size_t row, double time_ms) const {
    const QRect cells = area();
    const double x = (time_ms - msOf(range_.begin_ns)) / msOf(range_.length_ns()) * cells.width();
    return {cells.left() + x, cells.top() + (static_cast<double>(row) - first_row_ + 0.5) * rowHeight()};
}

std::optional<WaitingMap::Place> WaitingMap::placeAt(QPointF position) const {
    const QRect cells = area();
    if (!picture_ || position.y() < cells.top()) return std::nullopt;
    const auto row = static_cast<std::size_t>(first_row_ + static_cast<int>(position.y() - cells.top()) / rowHeight());
    if (row >= rowCount() || position.x() < cells.left() || position.x() >= cells.right() + 1) return std::nullopt;
    const double share = (position.x() - cells.left()) / cells.width();
    return Place{row, msOf(range_.begin_ns) + share * msOf(range_.length_ns())};
}

QString WaitingMap::textAt(const Place& place) const {
    const job::RankRow& row = picture_->rows[place.row];
    QStringList lines{QString::fromStdString(row.title + ", " + row.subtitle)};
    const QString moment = formatTime(place.time_ms);
    lines.append(tr("computes at %1").arg(moment));
    for (const job::StandstillSpan& span : picture_->standstills[place.row]) {
        if (place.time_ms < span.begin_ms || place.time_ms >= span.end_ms) continue;
        lines.back() = QStringLiteral("%1: %2").arg(
            moment, QString::fromStdString(job::standstill_text(*picture_->evaluation, span)));
        lines.append(span.kind == Kind::stuck
                         ? tr("since %1").arg(formatTime(span.begin_ms))
                         : tr("%1 from %2").arg(formatTime(span.length_ms()), formatTime(span.begin_ms)));
        break;
    }
    return shownLines(lines.join(u'\n'));
}

void WaitingMap::paintRow(QPainter& painter, std::size_t row, const QRect& cells) {
    const Theme& theme = currentTheme();
    const std::vector<job::StandstillSpan>& spans = picture_->standstills[row];
    const double ns_per_px = static_cast<double>(range_.length_ns()) / cells.width();
    const int top = cells.top() + (static_cast<int>(row) - first_row_) * rowHeight();
    const int height = rowHeight() - 1;
    painter.fillRect(cells.left(), top, cells.width(), height, theme.panel);
    const double finished = spans.empty() || spans.back().kind != Kind::after ? 1e300 : spans.back().begin_ms;
    for (int x = 0; x < cells.width(); ++x) {
        const TimeRange column{range_.begin_ns + static_cast<std::int64_t>(x * ns_per_px),
                               range_.begin_ns + static_cast<std::int64_t>((x + 1) * ns_per_px)};
        const double share = shareStandingStill(row, column);
        if (share > 0)
            painter.fillRect(cells.left() + x, top, 1, height, blended(theme.panel, theme.exposed, share));
        else if (msOf(column.begin_ns) >= finished)
            painter.fillRect(cells.left() + x, top, 1, height, theme.background);
    }
    const QRect title(12, top, cells.left() - 20, height);
    painter.setFont(textFont(normalTextPx));
    painter.setPen(theme.text);
    const QFontMetrics metrics(painter.font());
    const QString name = QString::fromStdString(picture_->rows[row].title);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, elidedName(metrics, name, Qt::ElideRight, title.width()));
    const int used = metrics.horizontalAdvance(name) + 8;
    painter.setFont(textFont(smallTextPx));
    painter.setPen(theme.dim);
    if (used < title.width())
        painter.drawText(title.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         elidedName(QFontMetrics(painter.font()), QString::fromStdString(picture_->rows[row].subtitle),
                                    Qt::ElideRight, title.width() - used));
    painter.setFont(numberFont(smallTextPx));
    painter.setPen(theme.text);
    painter.drawText(QRect(cells.right() + 1, top, figures_width - 8, height), Qt::AlignRight | Qt::AlignVCenter,
                     shareOfStep(row));
}

void WaitingMap::paintAxis(QPainter& painter, const QRect& cells) {
    const Theme& theme = currentTheme();
    painter.setFont(textFont(smallTextPx));
    painter.setPen(theme.dim);
    painter.drawText(QRect(12, 0, cells.left() - 20, axis_height), Qt::AlignLeft | Qt::AlignVCenter, tr("Ranks"));
    painter.drawText(QRect(cells.right() + 1, 0, figures_width - 8, axis_height), Qt::AlignRight | Qt::AlignVCenter,
                     tr("of step"));
    const QFontMetrics metrics(painter.font());
    for (const AxisTick& tick :
         axisTicks(msOf(range_.begin_ns), msOf(range_.end_ns), Unit::Time, std::max(2, cells.width() / 90))) {
        const int x = static_cast<int>(pointOf(0, tick.value).x());
        const int width = metrics.horizontalAdvance(tick.label);
        if (x < cells.left() || x + 4 + width > cells.right()) continue;
        painter.fillRect(x, axis_height - 6, 1, 6, theme.line);
        painter.drawText(QPoint(x + 4, axis_height - 6), tick.label);
    }
}

void WaitingMap::paintEvent(QPaintEvent*) {
    const Theme& theme = currentTheme();
    QPainter painter(this);
    painter.fillRect(rect(), theme.background);
    if (!picture_) {
        painter.setPen(theme.dim);
        painter.setFont(textFont(normalTextPx));
        painter.drawText(rect(), Qt::AlignCenter, tr("No step to show"));
        return;
    }
    const QRect cells = area();
    paintAxis(painter, cells);
    painter.setClipRect(QRect(0, cells.top(), width(), cells.height()));
    const std::size_t last = std::min(rowCount(), static_cast<std::size_t>(first_row_ + height() / rowHeight() + 1));
    for (auto row = static_cast<std::size_t>(first_row_); row < last; ++row) paintRow(painter, row, cells);
    if (!current_) return;
    const QPointF at = pointOf(current_->row, current_->time_ms);
    painter.setPen(QPen(theme.accent, hasFocus() ? 2 : 1));
    painter.drawRect(QRectF(at.x() - 4, at.y() - rowHeight() / 2.0, 8, rowHeight() - 2));
}

void WaitingMap::move(const Place& place) {
    current_ = place;
    scrollTo(place.row);
    update();
    setAccessibleDescription(textAt(place));
    emit selected(referenceAt(place.row, place.time_ms));
}

void WaitingMap::scrollTo(std::size_t row) {
    const int rows = std::max(1, area().height() / rowHeight());
    first_row_ = std::clamp(first_row_, std::max(0, static_cast<int>(row) - rows + 1), static_cast<int>(row));
}

void WaitingMap::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const auto place = placeAt(event->position())) move(*place);
}

void WaitingMap::mouseDoubleClickEvent(QMouseEvent* event) {
    const auto place = placeAt(event->position());
    if (!place) return;
    if (const quint32 reference = referenceAt(place->row, place->time_ms); reference != no_reference)
        emit activated(reference);
}

void WaitingMap::wheelEvent(QWheelEvent* event) {
    const int rows = std::max(1, area().height() / rowHeight());
    const int most = std::max(0, static_cast<int>(rowCount()) - rows);
    first_row_ = std::clamp(first_row_ - (event->angleDelta().y() > 0 ? 1 : -1), 0, most);
    update();
}

void WaitingMap::keyPressEvent(QKeyEvent* event) {
    if (!picture_ || rowCount() == 0) return QWidget::keyPressEvent(event);
    const double begin = msOf(range_.begin_ns), length = msOf(range_.length_ns());
    Place place = current_.value_or(Place{0, begin + length / 2});
    const auto last = rowCount() - 1;
    switch (event->key()) {
        case Qt::Key_Left:
            place.time_ms = std::max(begin, place.time_ms - length / steps_of_keys);
            break;
        case Qt::Key_Right:
            place.time_ms = std::min(begin + length, place.time_ms + length / steps_of_keys);
            break;
        case Qt::Key_Up:
            place.row = place.row == 0 ? 0 : place.row - 1;
            break;
        case Qt::Key_Down:
            place.row = std::min(last, place.row + 1);
            break;
        case Qt::Key_Home:
            place.time_ms = begin;
            break;
        case Qt::Key_End:
            place.time_ms = begin + length;
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (const quint32 reference = referenceAt(place.row, place.time_ms); reference != no_reference)
                emit activated(reference);
            return;
        default:
            return QWidget::keyPressEvent(event);
    }
    move(place);
}

bool WaitingMap::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto& help = static_cast<const QHelpEvent&>(*event);
        const auto place = placeAt(help.pos());
        showToolTip(help.globalPos(), place ? textAt(*place) : QString(), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace overlap::ui
