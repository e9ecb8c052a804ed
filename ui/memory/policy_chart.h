#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "ui/memory/policy_search.h"

namespace overlap::ui {

/// Step against peak: a point for each memory policy, the current plan as a ring, and a line through the policies that
/// no other beats in both. A click on a point, or Enter, takes it; arrows walk from point to point in order of the
/// peak.
class PolicyChart : public QWidget {
    Q_OBJECT

  public:
    explicit PolicyChart(QWidget* parent = nullptr);

    void clear();
    void add(const PolicyPoint& point);
    /// The current plan; nothing while it is not known.
    void setCurrent(std::optional<PolicyPoint> current);
    /// What the device holds; 0 where that is not known.
    void setDeviceMemory(std::int64_t bytes);

    const std::vector<PolicyPoint>& points() const { return points_; }
    /// Where a point is drawn.
    QPointF place(const PolicyPoint& point) const;
    /// The point that keys are at; -1 for none.
    int focused() const { return focused_; }
    /// A point in words: `Full recompute: 1171 ms, 7.1 GiB`.
    static QString text(const PolicyPoint& point);

  signals:
    void chosen(const overlap::MemoryChoice& choice);

  protected:
    QSize sizeHint() const override { return {320, 160}; }
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    struct Range {
        double lowest = 0, highest = 1;
    };
    QRectF area() const;
    void fitRanges();
    void take(int point);
    void focus(int point);
    int pointAt(const QPointF& position) const;
    void paintAxes(QPainter& painter) const;
    void paintFront(QPainter& painter) const;
    void paintPoints(QPainter& painter) const;

    std::vector<PolicyPoint> points_;  ///< by peak
    std::optional<PolicyPoint> current_;
    std::int64_t device_bytes_ = 0;
    Range steps_, peaks_;
    int focused_ = -1, hovered_ = -1;
};

}  // namespace overlap::ui
