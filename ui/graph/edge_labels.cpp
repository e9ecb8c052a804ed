#include "ui/graph/edge_labels.h"

#include <QFontMetricsF>
#include <QLineF>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/graph/graph_model.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

constexpr double beside = 6;          ///< between a label and its edge
constexpr int samples_of_curve = 12;  ///< straight pieces that a curve is taken for

QPointF toQt(LayoutPoint point) {
    return {point.x, point.y};
}

QPointF onCurve(const LayoutPoint* points, double share) {
    const double rest = 1 - share;
    return rest * rest * rest * toQt(points[0]) + 3 * rest * rest * share * toQt(points[1]) +
           3 * rest * share * share * toQt(points[2]) + share * share * share * toQt(points[3]);
}

/// What a box and its border take: labels keep clear of it.
QRectF boxRoom(const PlacedBox& placed) {
    return QRectF(placed.rect.x, placed.rect.y, placed.rect.width, placed.rect.height).adjusted(-3, -1, 3, 1);
}

bool strikes(const Arrangement& arrangement, const PlacedEdge& edge, const QRectF& room) {
    if (!boundsOf(arrangement, edge).intersects(room)) return false;
    const LayoutPoint* points = arrangement.points.data() + edge.first_point;
    for (std::uint32_t i = 0; i + 3 < edge.point_count; i += 3) {
        QPointF from = toQt(points[i]);
        for (int sample = 1; sample <= samples_of_curve; ++sample) {
            const QPointF to = onCurve(points + i, static_cast<double>(sample) / samples_of_curve);
            // Pieces are short: one that touches the room's rectangle with its own is as good as upon it.
            if (QRectF(from, to).normalized().adjusted(-1, -1, 1, 1).intersects(room)) return true;
            from = to;
        }
    }
    return false;
}

/// Where the label of `edge` may stand, the best place first: beside the middle of the first bend, which lies in the
/// gap between two rows, and beside the ends of it.
std::array<QRectF, 7> places(const Arrangement& arrangement, const PlacedEdge& edge, QSizeF size) {
    const LayoutPoint* points = arrangement.points.data() + edge.first_point;
    std::uint32_t bend = 0;
    while (bend + 6 < edge.point_count && toQt(points[bend]) == toQt(points[bend + 1])) bend += 3;
    const QPointF begin = toQt(points[bend]), middle = onCurve(points + bend, 0.5), end = toQt(points[bend + 3]);
    const auto right = [&](QPointF at) { return QRectF({at.x() + beside, at.y() - size.height() / 2 - 2}, size); };
    const auto left = [&](QPointF at) {
        return QRectF({at.x() - beside - size.width(), at.y() - size.height() / 2 - 2}, size);
    };
    const QPointF into(0, end.y() >= begin.y() ? size.height() * 0.75 : -size.height() * 0.75);
    const bool flat = std::abs(end.x() - begin.x()) > std::abs(end.y() - begin.y());
    const QRectF above({middle.x() - size.width() / 2, middle.y() - size.height() - 2}, size);
    return {flat ? above : right(middle),
            flat ? right(middle) : above,
            left(middle),
            right(end - into),
            left(end - into),
            right(begin + into),
            left(begin + into)};
}

}  // namespace

QFont edgeLabelFont() {
    return codeFont(static_cast<int>(edgeLabelPx) + 1);
}

QRectF boundsOf(const Arrangement& arrangement, const PlacedEdge& edge) {
    const LayoutPoint* points = arrangement.points.data() + edge.first_point;
    double left = points[0].x, right = left, top = points[0].y, bottom = top;
    for (std::uint32_t i = 1; i < edge.point_count; ++i) {
        left = std::min(left, points[i].x);
        right = std::max(right, points[i].x);
        top = std::min(top, points[i].y);
        bottom = std::max(bottom, points[i].y);
    }
    return QRectF(left, top, right - left, bottom - top).adjusted(-1, -1, 1, 1);
}

std::vector<EdgeLabel> edgeLabels(const GraphModel& model, const PlacedLevel& level, const QRectF& visible) {
    static const QFontMetricsF metrics(edgeLabelFont());
    const Arrangement& arrangement = model.arrangement();
    std::vector<const PlacedEdge*> edges;
    for (std::uint32_t i = level.first_edge; i < level.first_edge + level.edge_count; ++i)
        if (boundsOf(arrangement, arrangement.edges[i]).intersects(visible)) edges.push_back(&arrangement.edges[i]);
    std::vector<QRectF> boxes;
    for (std::uint32_t i = level.first_box; i < level.first_box + level.box_count; ++i) {
        const QRectF box = boxRoom(arrangement.boxes[i]);
        if (box.intersects(visible)) boxes.push_back(box);
    }
    std::vector<EdgeLabel> labels;
    for (const PlacedEdge* edge : edges) {
        const LevelEdge& flow = edge->edge;
        if (flow.bytes <= 0) continue;
        const QString bytes = formatBytes(static_cast<double>(flow.bytes));
        const QString text = flow.tensors > 1 ? QStringLiteral("%1 · %2").arg(flow.tensors).arg(bytes) : bytes;
        const auto upon_label = [&](const QRectF& room) {
            return std::ranges::any_of(
                labels, [&](const EdgeLabel& other) { return other.room.adjusted(-4, -1, 4, 1).intersects(room); });
        };
        const auto upon_box = [&](const QRectF& room) {
            return std::ranges::any_of(boxes, [&](const QRectF& box) { return box.intersects(room); });
        };
        const auto upon_curve = [&](const QRectF& room) {
            return std::ranges::any_of(edges,
                                       [&](const PlacedEdge* other) { return strikes(arrangement, *other, room); });
        };
        const QRectF* upon_curves = nullptr;
        const QRectF* chosen = nullptr;
        const auto candidates = places(arrangement, *edge, {metrics.horizontalAdvance(text), metrics.height()});
        for (const QRectF& room : candidates) {
            if (upon_label(room) || upon_box(room)) continue;
            if (!upon_curve(room)) {
                chosen = &room;
                break;
            }
            if (!upon_curves) upon_curves = &room;
        }
        if (!chosen) chosen = upon_curves;
        if (!chosen) continue;
        labels.push_back({*chosen, text, model.filter().dimmed(flow.from) || model.filter().dimmed(flow.to)});
    }
    return labels;
}

}  // namespace overlap::ui
