#pragma once

#include <QPainter>
#include <QRectF>
#include <vector>

#include "core/layout/arrangement.h"

namespace overlap::ui {

class GraphModel;
struct EdgeLabel;
struct Theme;

/// Paints the boxes and edges of a graph in the coordinates of its arrangement: into the view, the minimap's image,
/// pictures and SVG. What would be too small to read at `scale` is left out.
class GraphPainter {
  public:
    /// @param scale device-independent pixels of the paint device for each unit of the arrangement.
    GraphPainter(const GraphModel& model, const Theme& theme, double scale);

    /// Everything that lies in `visible`.
    void paint(QPainter& painter, const QRectF& visible) const;
    /// What depends on pointer and selection, above the rest: borders, and what flows into and out of the selection.
    void paintSelection(QPainter& painter, const QRectF& visible, BoxId hovered, BoxId current, bool focused) const;
    /// Boxes as plain areas, for the minimap.
    void paintAreas(QPainter& painter) const;
    /// Labels of edges that are painted where `visible` is; none where they would be too small to read.
    std::vector<EdgeLabel> labelsIn(const QRectF& visible) const;

  private:
    void paintEdge(QPainter& painter, const PlacedEdge& edge, const QColor& colour) const;
    /// Names over boxes that are too small for them.
    void paintOverview(QPainter& painter, const QRectF& visible) const;
    void paintLabels(QPainter& painter, const std::vector<EdgeLabel>& labels) const;
    void paintBox(QPainter& painter, const PlacedBox& placed) const;
    void paintStripe(QPainter& painter, const PlacedBox& placed, bool dimmed) const;
    void paintTexts(QPainter& painter, const PlacedBox& placed, bool dimmed) const;
    void paintStubs(QPainter& painter, const PlacedBox& placed, bool dimmed) const;
    /// Lets what is painted next pass behind closed boxes and the titles of open ones.
    void clipOutBoxes(QPainter& painter, const QRectF& visible) const;
    void paintFlow(QPainter& painter, const LevelEdge& edge) const;
    void paintArrow(QPainter& painter, QPointF from, QPointF tip) const;
    QColor faded(const QColor& colour, bool dimmed) const;
    bool readable(double pixels) const { return pixels * scale_ >= smallest_text; }

    static constexpr double smallest_text = 6;  ///< pixels on the screen

    const GraphModel& model_;
    const Arrangement& arrangement_;
    const Theme& theme_;
    double scale_;
};

QRectF toQt(const LayoutRect& rect);

}  // namespace overlap::ui
