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

/// Finds places for the names of points, one after the other, so that none covers another one or a point.
class NamePlaces {
  public:
    /// @param inside where names may stand. @param points what they must not cover.
    NamePlaces(const QRectF& inside, std::vector<QRectF> points) : inside_(inside), taken_(std::move(points)) {}

    /// Takes the place beside the point where there is room, else on its other sides, else, where a line may lead to
    /// it, the nearest one; nothing where there is none.
    /// @param gap from the point's middle to a name beside it.
    std::optional<NamePlace> take(QPointF point, QSizeF size, double gap, bool with_leader);

  private:
    bool isFree(const QRectF& text) const;
    /// Whether a line to a name there would cross a name, or another line.
    bool isClear(const QLineF& leader, const QRectF& point) const;
    /// The nearest place that a line leads to. @param clear by a line that crosses nothing.
    std::optional<NamePlace> led(QPointF point, QSizeF size, bool clear) const;
    NamePlace taken(NamePlace place);

    QRectF inside_;
    std::vector<QRectF> taken_;
    std::vector<QRectF> names_;
    std::vector<QLineF> leaders_;
};

}  // namespace overlap::ui
