#pragma once

#include <cstdint>
#include <optional>

#include "ui/widgets/charts/step_peak_chart.h"

namespace overlap::ui {

/// The front with the limit of the peak as a line, which can be dragged.
class FrontChart : public StepPeakChart {
    Q_OBJECT

  public:
    using StepPeakChart::StepPeakChart;

    /// Nothing: any peak will do, and there is no line.
    void setPeakLimit(std::optional<std::int64_t> bytes);
    const std::optional<std::int64_t>& peakLimit() const { return limit_; }
    /// Where a peak is on the axis, and what peak is there.
    double xOfPeak(std::int64_t bytes) const;
    std::int64_t peakAt(double x) const;
    /// The rectangle that the axes bound.
    QRectF axes() const;

  signals:
    /// The line was dragged to this peak, which may be any.
    void limitDragged(std::int64_t bytes);
    /// Peaks are in other places now.
    void moved();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

  private:
    /// Where the limit's line stands; nothing without one, and where it is off the axis.
    std::optional<double> lineX() const;
    bool isAtLine(const QPointF& position) const;

    std::optional<std::int64_t> limit_;
    bool dragging_ = false;
    double painted_zero_ = 0;  ///< where no bytes were at the last painting
};

}  // namespace overlap::ui
