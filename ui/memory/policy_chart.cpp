#include "ui/memory/policy_chart.h"

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

constexpr double radius = 4.5;
constexpr double reach = 12;  ///< how near the pointer means a point
constexpr int left_margin = 64, right_margin = 16, top_margin = 10, bottom_margin = 24;
constexpr double headroom = 0.08;  ///< of a range, beyond its ends

bool isBefore(const PolicyPoint& left, const PolicyPoint& right) {
    return left.peak_bytes != right.peak_bytes ? left.peak_bytes < right.peak_bytes : left.step_ms < right.step_ms;
}

}  // namespace

PolicyChart::PolicyChart(QWidget* parent) : QWidget(parent) {
    setObjectName("policyChart");
    setAccessibleName(tr("Step against peak memory of memory policies"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(160, 96);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&PolicyChart::update));
}

void PolicyChart::clear() {
    points_.clear();
    focused_ = hovered_ = -1;
    fitRanges();
}

void PolicyChart::add(const PolicyPoint& point) {
    if (point.refused) return;
    points_.insert(std::ranges::upper_bound(points_, point, isBefore), point);
    focused_ = hovered_ = -1;
    fitRanges();
}

void PolicyChart::setCurrent(std::optional<PolicyPoint> current) {
    current_ = std::move(current);
    fitRanges();
}

void PolicyChart::setDeviceMemory(std::int64_t bytes) {
    device_bytes_ = bytes;
    update();
}

void PolicyChart::fitRanges() {
    constexpr double most = std::numeric_limits<double>::max();
    steps_ = peaks_ = {most, 0};
    const auto include = [&](const PolicyPoint& point) {
        const auto widen = [](Range& range, double value) {
            range = {std::min(range.lowest, value), std::max(range.highest, value)};
        };
        widen(steps_, point.step_ms);
        widen(peaks_, static_cast<double>(point.peak_bytes));
    };
    std::ranges::for_each(points_, include);
    if (current_) include(*current_);
    for (Range* range : {&steps_, &peaks_}) {
        if (range->lowest > range->highest) *range = {0, 1};
        const double room = std::max(headroom * (range->highest - range->lowest), range->highest * 1e-3);
        *range = {std::max(0.0, range->lowest - room), range->highest + room};
    }
    update();
}

QRectF PolicyChart::area() const {
    return QRectF(rect()).adjusted(left_margin, top_margin, -right_margin, -bottom_margin);
}

QPointF PolicyChart::place(const PolicyPoint& point) const {
    const auto share = [](const Range& range, double value) {
        return (value - range.lowest) / std::max(range.highest - range.lowest, 1e-9);
    };
    const QRectF inside = area();
    return {inside.left() + share(peaks_, static_cast<double>(point.peak_bytes)) * inside.width(),
            inside.bottom() - share(steps_, point.step_ms) * inside.height()};
}

QString PolicyChart::text(const PolicyPoint& point) {
    return tr("%1: %2, %3")
        .arg(QString::fromStdString(point.choice.title), formatTime(point.step_ms),
             formatBytes(static_cast<double>(point.peak_bytes)));
}

int PolicyChart::pointAt(const QPointF& position) const {
    int nearest = -1;
    double least = reach * reach;
    for (std::size_t index = 0; index < points_.size(); ++index) {
        const QPointF away = place(points_[index]) - position;
        const double distance = QPointF::dotProduct(away, away);
        if (distance <= least) nearest = static_cast<int>(index), least = distance;
    }
    return nearest;
}

void PolicyChart::focus(int point) {
    if (points_.empty()) return;
    focused_ = std::clamp(point, 0, static_cast<int>(points_.size()) - 1);
    setAccessibleDescription(text(points_[static_cast<std::size_t>(focused_)]));
    update();
}

void PolicyChart::take(int point) {
    if (point < 0) return;
    // A copy: taking it may rebuild the points.
    const MemoryChoice choice = points_[static_cast<std::size_t>(point)].choice;
    emit chosen(choice);
}

void PolicyChart::mouseMoveEvent(QMouseEvent* event) {
    hovered_ = pointAt(event->position());
    setCursor(hovered_ < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    update();
}

void PolicyChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) take(pointAt(event->position()));
}

void PolicyChart::leaveEvent(QEvent* event) {
    hovered_ = -1;
    update();
    QWidget::leaveEvent(event);
}

void PolicyChart::keyPressEvent(QKeyEvent* event) {
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

bool PolicyChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int point = pointAt(help->pos());
    QToolTip::showText(help->globalPos(),
                       point < 0 ? tr("Each point is a memory policy with the rest of this plan; a click takes it")
                                 : text(points_[static_cast<std::size_t>(point)]),
                       this);
    return true;
}

void PolicyChart::paintAxes(QPainter& painter) const {
    const Theme& theme = currentTheme();
    const QRectF inside = area();
    painter.setPen(theme.line);
    painter.drawLine(inside.bottomLeft(), inside.bottomRight());
    painter.drawLine(inside.bottomLeft(), inside.topLeft());
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
    painter.drawText(below, Qt::AlignHCenter, tr("peak memory"));
    const auto device = static_cast<double>(device_bytes_);
    if (device <= peaks_.lowest || device >= peaks_.highest) return;
    const double x = inside.left() + (device - peaks_.lowest) / (peaks_.highest - peaks_.lowest) * inside.width();
    painter.setPen(QPen(theme.caution, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()));
}

void PolicyChart::paintFront(QPainter& painter) const {
    QPolygonF front;
    double best_ms = std::numeric_limits<double>::max();
    for (const PolicyPoint& point : points_) {
        if (point.step_ms >= best_ms) continue;
        best_ms = point.step_ms;
        front.append(place(point));
    }
    painter.setPen(QPen(currentTheme().memory, 1, Qt::DotLine));
    painter.drawPolyline(front);
}

void PolicyChart::paintPoints(QPainter& painter) const {
    const Theme& theme = currentTheme();
    painter.setFont(textFont(smallTextPx));
    std::vector<QRectF> taken;
    for (const PolicyPoint& point : points_) {
        const QPointF at = place(point);
        taken.push_back(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius));
    }
    for (std::size_t index = 0; index < points_.size(); ++index) {
        const QPointF at = place(points_[index]);
        const bool marked = static_cast<int>(index) == hovered_ || (hasFocus() && static_cast<int>(index) == focused_);
        painter.setPen(Qt::NoPen);
        painter.setBrush(marked ? theme.accent : theme.memory);
        painter.drawEllipse(at, radius, radius);
        const QString name = shownName(QString::fromStdString(points_[index].choice.title));
        const QSizeF size(painter.fontMetrics().horizontalAdvance(name), painter.fontMetrics().height());
        // Beside the point where there is room, else on its other sides; names that find none are in the tool tip.
        for (const QPointF offset : {QPointF(8, -size.height() / 2), QPointF(-8 - size.width(), -size.height() / 2),
                                     QPointF(-size.width() / 2, -size.height() - 6), QPointF(-size.width() / 2, 6)}) {
            const QRectF text(at + offset, size);
            const bool fits = QRectF(rect()).adjusted(left_margin, 0, 0, -bottom_margin).contains(text) &&
                              std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(text); });
            if (!fits && !marked) continue;
            taken.push_back(text);
            painter.setPen(marked ? theme.text : theme.dim);
            painter.drawText(text, Qt::AlignCenter | Qt::TextDontClip, name);
            break;
        }
    }
    if (!current_) return;
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(place(*current_), radius + 3, radius + 3);
}

void PolicyChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), currentTheme().background);
    painter.setRenderHint(QPainter::Antialiasing);
    paintAxes(painter);
    paintFront(painter);
    paintPoints(painter);
}

}  // namespace overlap::ui
