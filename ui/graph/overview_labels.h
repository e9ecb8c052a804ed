#pragma once

#include <QRectF>
#include <QString>
#include <QTransform>
#include <vector>

#include "core/layout/box_tree.h"

namespace overlap::ui {

class GraphModel;

/// The name of a box, beside others that are too small to hold theirs.
struct OverviewLabel {
    BoxId box = no_box;
    QString text;
    QRectF room;          ///< in the view's pixels
    bool beyond = false;  ///< it does not lie within its box
};

/// Names for a graph that is drawn so small that boxes cannot hold text: outer boxes before inner ones, larger before
/// smaller, as far as they do not cover one another. Names are without their middles where boxes are narrow, and stay
/// within them; where no box is large enough for that, they reach beyond. Where any box is seen, there is at least one.
/// @param to_view from the arrangement to the view.
std::vector<OverviewLabel> overviewLabels(const GraphModel& model, const QTransform& to_view, const QRectF& view);

}  // namespace overlap::ui
