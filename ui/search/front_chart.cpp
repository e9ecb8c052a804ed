#include "ui/search/front_chart.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/theme/theme_manager.h"
#include "ui/widgets/charts/step_peak_metrics.h"

namespace overlap::ui {
namespace {

constexpr double beyond_axis = 4;            ///< by which the line goes beyond the axis
constexpr double grip = 5;                   ///< how near the pointer has to be to the line
constexpr std::int64_t far_off = 1LL << 40;  ///< bytes from which the scale is read
constexpr double beyond_share = 0.06;        ///< how much peaks beyond the limit are tinted

}  // namespace

void FrontChart::setPeakLimit(std::optional<std::int64_t> bytes) {
    if (limit_ == bytes) return;
    limit_ = bytes;
    QWidget::update();
}

double FrontChart::xOfPeak(std::int64_t bytes) const {
    return place({-1, {}, 0, bytes}).x();
}

std::int64_t FrontChart::peakAt(double x) const {
    const double zero = xOfPeak(0), far = xOfPeak(far_off);
    const double bytes = (x - zero) / std::max(far - zero, 1e-9) * static_cast<double>(far_off);
    return std::max<std::int64_t>(0, std::llround(bytes));
}

QRectF FrontChart::axes() const {
    using Metrics = StepPeakMetrics;
    return QRectF(rect()).adjusted(Metrics::left_margin, Metrics::top_margin, -Metrics::right_margin,
                                   -Metrics::bottom_margin);
}

std::optional<double> FrontChart::lineX() const {
    if (!limit_ || points().empty()) return std::nullopt;
    const double x = xOfPeak(*limit_);
    return x < axes().left() || x > axes().right() ? std::nullopt : std::optional(x);
}

bool FrontChart::isAtLine(const QPointF& position) const {
    const std::optional<double> x = lineX();
    return x && std::abs(position.x() - *x) <= grip;
}

void FrontChart::paintEvent(QPaintEvent* event) {
    StepPeakChart::paintEvent(event);
    if (const double zero = xOfPeak(0); std::exchange(painted_zero_, zero) != zero) emit moved();
    if (!limit_ || points().empty()) return;
    const QRectF inside = axes();
    const double x = std::max(xOfPeak(*limit_), inside.left());
    if (x > inside.right()) return;  // a line at the edge would name another limit
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor beyond = currentTheme().caution;
    beyond.setAlphaF(beyond_share);
    painter.fillRect(QRectF(QPointF(x, inside.top()), inside.bottomRight()), beyond);
    if (!lineX()) return;
    painter.setPen(QPen(currentTheme().accent, dragging_ ? 2 : 1));
    // Below stand the axis's numbers, which it would strike through.
    painter.drawLine(QPointF(x, inside.top()), inside.bottomLeft() + QPointF(x - inside.left(), beyond_axis));
}

void FrontChart::mousePressEvent(QMouseEvent* event) {
    dragging_ = event->button() == Qt::LeftButton && isAtLine(event->position());
    if (!dragging_) StepPeakChart::mousePressEvent(event);
}

void FrontChart::mouseMoveEvent(QMouseEvent* event) {
    if (dragging_) {
        emit limitDragged(peakAt(event->position().x()));
        return;
    }
    StepPeakChart::mouseMoveEvent(event);
    if (isAtLine(event->position())) setCursor(Qt::SplitHCursor);
}

void FrontChart::mouseReleaseEvent(QMouseEvent* event) {
    dragging_ = false;
    QWidget::update();
    StepPeakChart::mouseReleaseEvent(event);
}

}  // namespace overlap::ui
