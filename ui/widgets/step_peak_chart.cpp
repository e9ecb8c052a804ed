#include "ui/widgets/step_peak_chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <limits>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr double radius = 4.5, ring_radius = radius + 3;
constexpr double reach = 12;  ///< how near the pointer means a point
constexpr int left_margin = 64, right_margin = 16, top_margin = 10, bottom_margin = 24;
constexpr int note_margin = 16;
constexpr double headroom = 0.08;  ///< of a range, beyond its ends

bool isBefore(const StepPeakChart::Point& left, const StepPeakChart::Point& right) {
    return left.peak_bytes != right.peak_bytes ? left.peak_bytes < right.peak_bytes : left.step_ms < right.step_ms;
}

/// Level up to the point, then up or down to it.
void addStep(QPolygonF& stairs, QPointF to) {
    if (!stairs.isEmpty()) stairs.append(QPointF(to.x(), stairs.back().y()));
    stairs.append(to);
}

}  // namespace

StepPeakChart::StepPeakChart(const QString& help, QWidget* parent) : QWidget(parent), help_(help) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(160, 96);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&StepPeakChart::update));
}

void StepPeakChart::clear() {
    points_.clear();
    bound_.clear();
    focused_ = hovered_ = chosen_ = -1;
    fitRanges();
}

void StepPeakChart::add(const Point& point) {
    points_.insert(std::ranges::upper_bound(points_, point, isBefore), point);
    focused_ = hovered_ = -1;
    fitRanges();
}

void StepPeakChart::setStepsText(const QString& text) {
    steps_text_ = text;
    update();
}

void StepPeakChart::setNote(const QString& note) {
    note_ = note;
    update();
}

void StepPeakChart::setCurrent(std::optional<Point> current) {
    current_ = std::move(current);
    fitRanges();
}

void StepPeakChart::setBound(std::vector<Limit> bound) {
    bound_ = std::move(bound);
    fitRanges();
}

void StepPeakChart::setChosen(int id) {
    chosen_ = id;
    update();
}

void StepPeakChart::setDeviceMemory(std::int64_t bytes) {
    device_bytes_ = bytes;
    update();
}

void StepPeakChart::fitRanges() {
    constexpr double most = std::numeric_limits<double>::max();
    steps_ = peaks_ = {most, 0};
    const auto include = [&](const Point& point) {
        const auto widen = [](Range& range, double value) {
            range = {std::min(range.lowest, value), std::max(range.highest, value)};
        };
        widen(steps_, point.step_ms);
        widen(peaks_, static_cast<double>(point.peak_bytes));
    };
    std::ranges::for_each(points_, include);
    if (current_) include(*current_);
    for (const Limit& limit : bound_) include({-1, {}, limit.step_ms, limit.bytes});
    for (Range* range : {&steps_, &peaks_}) {
        if (range->lowest > range->highest) *range = {0, 1};
        const double room = std::max(headroom * (range->highest - range->lowest), range->highest * 1e-3);
        *range = {std::max(0.0, range->lowest - room), range->highest + room};
    }
    update();
}

QRectF StepPeakChart::area() const {
    return QRectF(rect()).adjusted(left_margin, top_margin, -right_margin, -bottom_margin);
}

QPointF StepPeakChart::place(const Point& point) const {
    const auto share = [](const Range& range, double value) {
        return (value - range.lowest) / std::max(range.highest - range.lowest, 1e-9);
    };
    const QRectF inside = area();
    return {inside.left() + share(peaks_, static_cast<double>(point.peak_bytes)) * inside.width(),
            inside.bottom() - share(steps_, point.step_ms) * inside.height()};
}

QString StepPeakChart::text(const Point& point) {
    return tr("%1: %2, %3")
        .arg(shownName(point.title), formatTime(point.step_ms), formatBytes(static_cast<double>(point.peak_bytes)));
}

int StepPeakChart::pointAt(const QPointF& position) const {
    int nearest = -1;
    double least = reach * reach;
    for (std::size_t index = 0; index < points_.size(); ++index) {
        const QPointF away = place(points_[index]) - position;
        const double distance = QPointF::dotProduct(away, away);
        if (distance <= least) nearest = static_cast<int>(index), least = distance;
    }
    return nearest;
}

void StepPeakChart::focus(int point) {
    if (points_.empty()) return;
    focused_ = std::clamp(point, 0, static_cast<int>(points_.size()) - 1);
    setAccessibleDescription(text(points_[static_cast<std::size_t>(focused_)]));
    update();
}

void StepPeakChart::take(int point) {
    if (point < 0) return;
    emit chosen(points_[static_cast<std::size_t>(point)].id);
}

void StepPeakChart::mouseMoveEvent(QMouseEvent* event) {
    hovered_ = pointAt(event->position());
    setCursor(hovered_ < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    update();
}

void StepPeakChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) take(pointAt(event->position()));
}

void StepPeakChart::leaveEvent(QEvent* event) {
    hovered_ = -1;
    update();
    QWidget::leaveEvent(event);
}

void StepPeakChart::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Up:
            return focus(focused_ - 1);
        case Qt::Key_Right:
        case Qt::Key_Down:
            return focus(focused_ + 1);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return take(focused_);
        default:
            QWidget::keyPressEvent(event);
    }
}

bool StepPeakChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int point = pointAt(help->pos());
    const QString& elsewhere = points_.empty() && !note_.isEmpty() ? note_ : help_;
    QToolTip::showText(help->globalPos(), point < 0 ? elsewhere : text(points_[static_cast<std::size_t>(point)]), this);
    return true;
}

void StepPeakChart::paintAxes(QPainter& painter) const {
    const Theme& theme = currentTheme();
    const QRectF inside = area();
    painter.setPen(theme.line);
    painter.drawLine(inside.bottomLeft(), inside.bottomRight());
    painter.drawLine(inside.bottomLeft(), inside.topLeft());
    if (points_.empty() && !current_) return;
    painter.setPen(theme.dim);
    painter.setFont(numberFont(smallTextPx));
    const auto step = [&](double value, Qt::Alignment alignment) {
        painter.drawText(QRectF(0, inside.top() - 4, left_margin - 6, inside.height() + 8),
                         static_cast<int>(alignment | Qt::AlignRight), formatTime(value));
    };
    step(steps_.highest, Qt::AlignTop);
    step(steps_.lowest, Qt::AlignBottom);
    const QRectF below(inside.left(), inside.bottom() + 4, inside.width(), bottom_margin - 4);
    painter.drawText(below, Qt::AlignLeft, formatBytes(peaks_.lowest));
    painter.drawText(below, Qt::AlignRight, formatBytes(peaks_.highest));
    painter.setFont(textFont(smallTextPx));
    painter.drawText(below, Qt::AlignHCenter,
                     steps_text_.isEmpty() ? tr("peak memory") : tr("peak memory · %1").arg(steps_text_));
    const auto device = static_cast<double>(device_bytes_);
    if (device <= peaks_.lowest || device >= peaks_.highest) return;
    const double x = inside.left() + (device - peaks_.lowest) / (peaks_.highest - peaks_.lowest) * inside.width();
    painter.setPen(QPen(theme.caution, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()));
}

/// A staircase: between two points the one with the lower peak is what fits.
void StepPeakChart::paintFront(QPainter& painter) const {
    QPolygonF front;
    double best_ms = std::numeric_limits<double>::max();
    for (const Point& point : points_) {
        if (point.step_ms >= best_ms) continue;
        best_ms = point.step_ms;
        addStep(front, place(point));
    }
    painter.setPen(QPen(currentTheme().memory, 1, Qt::DotLine));
    painter.drawPolyline(front);
}

/// A staircase: a limit holds up to the next one.
void StepPeakChart::paintBound(QPainter& painter) const {
    QPolygonF stairs;
    for (const Limit& limit : bound_) {
        const QPointF at = place({-1, {}, limit.step_ms, limit.bytes});
        addStep(stairs, at);
    }
    if (stairs.isEmpty()) return;
    stairs.append(QPointF(area().right(), stairs.back().y()));
    const Theme& theme = currentTheme();
    painter.setPen(QPen(theme.hidden, 1.5));
    painter.drawPolyline(stairs);
    painter.setFont(textFont(smallTextPx));
    painter.setPen(theme.asText(theme.hidden));
    const int height = painter.fontMetrics().height();
    painter.drawText(QRectF(area().left(), stairs.back().y() - height - 1, area().width(), height), Qt::AlignRight,
                     tr("bound"));
}

/// Beside the point where there is room, else on its other sides; names that find none are in the tool tip.
/// @param always also where it covers something.
void StepPeakChart::paintName(QPainter& painter, const Point& point, std::vector<QRectF>& taken, bool always) const {
    const Theme& theme = currentTheme();
    const QPointF at = place(point);
    const QString name = shownName(point.title);
    const QSizeF size(painter.fontMetrics().horizontalAdvance(name), painter.fontMetrics().height());
    for (const QPointF offset : {QPointF(10, -size.height() / 2), QPointF(-10 - size.width(), -size.height() / 2),
                                 QPointF(-size.width() / 2, -size.height() - 8), QPointF(-size.width() / 2, 8)}) {
        const QRectF text(at + offset, size);
        const bool fits = QRectF(rect()).adjusted(left_margin, 0, 0, -bottom_margin).contains(text) &&
                          std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(text); });
        if (!fits && !always) continue;
        taken.push_back(text);
        painter.fillRect(text, theme.background);  // lines do not strike it through
        painter.setPen(always ? theme.text : theme.dim);
        painter.drawText(text, Qt::AlignCenter | Qt::TextDontClip, name);
        return;
    }
}

void StepPeakChart::paintPoints(QPainter& painter) const {
    const Theme& theme = currentTheme();
    painter.setFont(textFont(smallTextPx));
    std::vector<QRectF> taken;
    const auto take = [&](const Point& point, double reach) {
        const QPointF at = place(point);
        taken.push_back(QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach));
    };
    for (const Point& point : points_) take(point, radius);
    if (current_) take(*current_, ring_radius);
    const auto isMarked = [this](std::size_t index) {
        return static_cast<int>(index) == hovered_ || (hasFocus() && static_cast<int>(index) == focused_) ||
               (chosen_ >= 0 && points_[index].id == chosen_);
    };
    constexpr int marked_rank = 3;
    const auto rank = [&](std::size_t index) { return isMarked(index) ? marked_rank : points_[index].name_rank; };
    for (int now = marked_rank; now > 0; --now) {
        for (std::size_t index = 0; index < points_.size(); ++index)
            if (rank(index) == now) paintName(painter, points_[index], taken, now == marked_rank);
    }
    for (const bool marked : {false, true}) {
        for (std::size_t index = 0; index < points_.size(); ++index) {
            if (isMarked(index) != marked) continue;
            painter.setPen(Qt::NoPen);
            painter.setBrush(marked ? theme.accent : theme.memory);
            painter.drawEllipse(place(points_[index]), radius, radius);
        }
    }
    if (!current_) return;
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(place(*current_), ring_radius, ring_radius);
    paintName(painter, *current_, taken, false);
}

void StepPeakChart::paintNote(QPainter& painter) const {
    painter.setFont(textFont(smallTextPx));
    painter.setPen(currentTheme().dim);
    painter.drawText(rect().adjusted(note_margin, 0, -note_margin, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     shownLines(note_));
}

void StepPeakChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), currentTheme().background);
    painter.setRenderHint(QPainter::Antialiasing);
    if (points_.empty() && !note_.isEmpty()) return paintNote(painter);
    paintAxes(painter);
    paintBound(painter);
    paintFront(painter);
    paintPoints(painter);
}

}  // namespace overlap::ui
