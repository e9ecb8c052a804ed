#pragma once

#include <QLineF>
#include <QPolygonF>
#include <QRectF>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/widgets/charts/name_places.h"

namespace overlap::ui {

/// Step against peak: a point for each of several plans, a hollow diamond for those that they are compared with, the
/// current plan as a ring, and stairs along the points that no other beats in both. Both axes have round values. A
/// click on a point, or Enter, takes it; arrows walk from point to point in order of the peak. The line above the axes
/// has the figures of the point that pointer or keys are at: a tool tip would cover the next points.
class StepPeakChart : public QWidget {
    Q_OBJECT

  public:
    struct Point {
        int id = 0;  ///< the owner's
        QString title;
        double step_ms = 0;
        std::int64_t peak_bytes = 0;
        int name_rank = 1;      ///< names of higher rank, 1 or 2, find room first; 0: it is in the tool tip alone
        bool compared = false;  ///< a hollow diamond: what others are compared with
    };
    /// How short a step can be within a limit of the peak.
    struct Limit {
        std::int64_t bytes = 0;
        double step_ms = 0;
    };

    /// @param help the tool tip where no point is.
    explicit StepPeakChart(const QString& help, QWidget* parent = nullptr);

    /// No points and no bound.
    void clear();
    void add(const Point& point);
    /// The current plan; nothing while it is not known.
    void setCurrent(std::optional<Point> current);
    const std::optional<Point>& current() const { return current_; }
    /// Limits in ascending order, drawn as stairs under the points.
    void setBound(std::vector<Limit> bound);
    /// The point that is spoken of elsewhere, by the owner's id; -1 for none.
    void setChosen(int id);
    /// Why there are no points, in their place; empty where there are some or will be.
    void setNote(const QString& note);
    const QString& note() const { return note_; }
    /// Whether every point has its name, also where a line must lead to it; what finds no place even so has a number,
    /// and its name stands below the axis. What would leave no chart there has its name only while the pointer is at
    /// it.
    void setAllNamed(bool all);
    /// What all steps of the chart have in common, said above its axes, such as `steps with links shared`.
    /// @param help what that means, in the tool tip.
    void setStepsText(const QString& text, const QString& help = {});
    const QString& stepsText() const { return steps_text_; }
    /// What dots and diamonds are, said above the axes where there are both, and in the tool tip where that has no
    /// room.
    void setShapesText(const QString& dots, const QString& diamonds);
    /// The legend in words: `● found · ◇ compared with`, `★ fastest within 79.6 GiB`; empty where all points are alike.
    QString shapesText() const;
    /// What the device holds; 0 where that is not known. A line where the axis reaches it, else words at its end.
    void setDeviceMemory(std::int64_t bytes);
    /// Whether the point with the shortest step among those that the device holds has a star, and the line above the
    /// axes tells the one within the peak that the pointer is at.
    void setFastestShown(bool shown);
    /// A limit of the peak that counts instead of what the device holds: a line of its own, and the fastest within it
    /// is told while the pointer is elsewhere. 0: none.
    void setLimit(std::int64_t bytes);
    /// The point with the shortest step within a peak, the one with the lower peak of two alike; -1 for none.
    int fastestWithin(double peak_bytes) const;
    /// What the line above the axes says: of a point, of the peak at the pointer, else what the axes are.
    QString headline() const;

    /// By peak.
    const std::vector<Point>& points() const { return points_; }
    /// Where a point is drawn.
    QPointF place(const Point& point) const;
    /// A name as it is written beside a point, or the number that stands for it.
    struct Name {
        int point = -1;  ///< in points(); -1: the current plan
        QString text;
        NamePlace place;
    };
    /// Names that are shown whatever the pointer is at; without their middles where they have no room else. What lies
    /// at one place and is called the same has one name.
    const std::vector<Name>& names() const { return names_; }
    /// Names of points that the pointer or the keys are at, or that are spoken of elsewhere, and that names() lacks or
    /// has without their middles. They cover no other point's name and no point; where there is no such place, what
    /// they cover is not drawn meanwhile.
    std::vector<Name> markedNames() const;
    /// The names that are drawn: markedNames(), and of names() those of other points that they leave uncovered.
    std::vector<Name> drawnNames() const;
    /// Where texts stand around and between the axes, but for names that the pointer shows: none covers another.
    std::vector<QRectF> textPlaces() const;
    /// What the numbers among the names stand for: `1 full, gathers kept · 2 none`; empty where there are none.
    const QString& legend() const { return legend_; }
    /// The point that keys are at; -1 for none.
    int focused() const { return focused_; }
    /// A point in words: `Full recompute: 1171 ms, 7.1 GiB`. Its step differs from that of other points where they do.
    QString text(const Point& point) const;

  signals:
    /// A point was taken.
    void chosen(int id);

  protected:
    QSize sizeHint() const override { return {320, 160}; }
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    struct Range {
        double lowest = 0, highest = 1;
    };
    /// The label of a value of an axis, and the mark that it stands at.
    struct AxisLabel {
        QString text;
        QRectF place;
        QLineF mark;
    };
    QRectF area() const;
    std::vector<AxisLabel> stepLabels() const;
    std::vector<AxisLabel> peakLabels() const;
    QRectF headlinePlace() const;
    QPolygonF boundStairs() const;
    /// Beside the bound, where it covers nothing; empty where there is no such place.
    QRectF findPlaceOfBoundText() const;
    void fitRanges();
    void placeNames();
    bool placeNames(std::vector<int>& numbered, std::vector<int>& nameless);
    std::optional<Name> elided(int point, NamePlaces& free) const;
    bool isAlike(int left, int right) const;
    double legendHeight(const QString& legend) const;
    /// Below the axis; empty where there is no legend.
    QRectF legendPlace() const;
    QString legendOf(const std::vector<int>& numbered) const;
    double xOf(double peak_bytes) const;
    double peakAt(double x) const;
    double yOf(double step_ms) const;
    const Point& named(int point) const;
    void take(int point);
    void focus(int point);
    int pointAt(const QPointF& position) const;
    int toldPoint() const;
    int starred() const;
    std::int64_t limit() const;
    QString fastestText(double peak_bytes) const;
    QString titleOf(int point) const;
    QString figuresOf(const Point& point) const;
    QString deviceText() const;
    QRectF placeOfDeviceText() const;
    void paintDevice(QPainter& painter) const;
    void paintAxes(QPainter& painter) const;
    void paintBound(QPainter& painter) const;
    void paintFront(QPainter& painter) const;
    void paintNames(QPainter& painter) const;
    void paintHeadline(QPainter& painter) const;
    void paintPoint(QPainter& painter, std::size_t point, bool marked) const;
    QRectF roomForNames() const;
    void keepOffBound(NamePlaces& free) const;
    std::vector<QRectF> placesOfPoints() const;
    bool isMarked(std::size_t point) const;
    bool showsTitle(int point) const;
    void paintPoints(QPainter& painter) const;
    void paintNote(QPainter& painter, const QString& note) const;

    QString help_;
    std::vector<Point> points_;  ///< by peak
    std::vector<Limit> bound_;
    std::optional<Point> current_;
    std::int64_t device_bytes_ = 0, limit_bytes_ = 0;
    Range steps_, peaks_;
    QString note_, steps_text_, steps_help_, dots_text_, diamonds_text_;
    bool all_named_ = false, fastest_shown_ = false;
    std::optional<double> peak_at_pointer_;  ///< in bytes, while that is told
    std::vector<Name> names_;
    QRectF bound_place_;  ///< of the word `bound`
    QString legend_;
    double legend_height_ = 0;
    int focused_ = -1, hovered_ = -1;
    int chosen_ = -1;  ///< id
};

}  // namespace overlap::ui
