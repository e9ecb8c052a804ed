#pragma once

#include <QFont>
#include <QRectF>
#include <QString>
#include <vector>

#include "core/layout/arrangement.h"

namespace overlap::ui {

class GraphModel;

/// The text beside an edge, and its place, in the coordinates of the arrangement.
struct EdgeLabel {
    QRectF room;
    QString text;  ///< tensors, where they are several, and bytes
    bool dimmed = false;
};

inline constexpr double edgeLabelPx = 10;
QFont edgeLabelFont();

/// The rectangle around an edge, one unit larger at each side.
QRectF boundsOf(const Arrangement& arrangement, const PlacedEdge& edge);

/// Labels of the edges of `level` that touch `visible`: each beside its edge where no curve, label or box is in the
/// way, else upon curves. Those that only have room upon a box are left out.
std::vector<EdgeLabel> edgeLabels(const GraphModel& model, const PlacedLevel& level, const QRectF& visible);

}  // namespace overlap::ui
