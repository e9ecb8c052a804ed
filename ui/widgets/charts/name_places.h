#pragma once

#include <QLineF>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <optional>
#include <vector>

namespace overlap::ui {

/// Where a name of a point of a chart stands.
struct NamePlace {
    QRectF text;
    /// From the point to the name, where that does not stand beside it.
    std::optional<QLineF> leader{};
};

/// Finds places for the names of points, one after the other, so that none covers another one or a point. A name stands
/// nearer to its own point than to any other, so that nobody takes it for that one's, unless they are in one place.
class NamePlaces {
  public:
    /// @param inside where names may stand. @param points what they must not cover.
    NamePlaces(const QRectF& inside, std::vector<QRectF> points) : inside_(inside), taken_(std::move(points)) {}

    /// What no name may cover that is not placed here, such as a name that stands already.
    void cover(const QRectF& text) { names_.push_back(text); }

    /// A line of the chart: a name that does not stand beside its point keeps off it, where it finds such a place.
    void keepOff(const QLineF& line) { lines_.push_back(line); }

    /// What places may be taken, where the ones that are surely the point's are not free.
    struct Allowed {
        double longest_leader = 0;  ///< how long a line to a name may be, in pixels; 0: no line leads to it
        bool unsure = false;        ///< also beside the point where it could be taken for another point's
    };
    /// Takes the place beside the point where there is room, else on its other sides, else the nearest one that a line
    /// may lead to; nothing where there is none.
    /// @param gap from the point's middle to a name beside it.
    std::optional<NamePlace> take(QPointF point, QSizeF size, double gap, Allowed allowed);

  private:
    bool isFree(const QRectF& text) const;
    /// Whether a name there, that begins so far from its point, cannot be taken for another point's.
    bool isOf(QPointF point, const QRectF& text, double distance) const;
    /// Whether a line to a name there would cross a name, or another line.
    bool isClear(const QLineF& leader, const QRectF& point) const;
    /// The nearest place that a line leads to. @param clear by a line that crosses nothing, off all lines. @param
    /// longest line.
    std::optional<NamePlace> led(QPointF point, QSizeF size, bool clear, double longest) const;
    /// A place beside the point. @param sure that is of no other point.
    std::optional<NamePlace> beside(QPointF point, QSizeF size, double gap, bool sure) const;
    NamePlace taken(NamePlace place);

    QRectF inside_;
    std::vector<QRectF> taken_;
    std::vector<QRectF> names_;
    std::vector<QLineF> leaders_, lines_;
};

}  // namespace overlap::ui
