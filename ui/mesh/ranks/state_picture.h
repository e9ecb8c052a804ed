#pragma once

#include <QPainter>
#include <QString>
#include <optional>

#include "ui/mesh/answers/rank_slices.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

/// Two tensor dimensions that pictures show; a tensor with fewer has none there.
struct PictureAxes {
    std::optional<int> rows, columns;

    bool operator==(const PictureAxes&) const = default;
};

/// The two most informative dimensions: those that a state of the path cuts, first ones first.
PictureAxes usualAxes(const std::vector<ShardingState>& states, int tensor_dims);

/// Ranks of a block as a grid in an area: outer mesh dimensions as rows, inner ones as columns, with wider gaps between
/// the groups of outer dimensions.
struct RankGrid {
    std::vector<QRectF> cells;  ///< one for each rank of the block
    int column_dims = 0;        ///< how many of the block's last mesh dimensions run along a row
    bool labelled = false;      ///< cells have room for the rank's number
};

/// @param aspect width by height of a tensor's miniature.
RankGrid layOutRanks(const RankBlock& block, const QRectF& area, double aspect);
/// Width by height of a miniature of a tensor of this shape.
double miniatureAspect(const Extents& tensor_shape, const PictureAxes& axes);
/// "↓ dp  → cp, tp": which mesh dimensions run down and along.
QString gridText(const RankGrid& grid, const RankBlock& block, const DeviceMesh& mesh);

/// What ranks hold, on the way from one state to the next.
struct SlicePair {
    const RankSlice& from;
    const RankSlice& to;
    double progress = 1.0;  ///< 0 is `from`, 1 is `to`
};

/// Paints one rank: the tensor's outline, the part of it that the rank holds in the slice's hue, hatched where it is a
/// term of a sum only, and the rank's number where the grid has room for it. Draws nothing but lines, rectangles and
/// text, for pictures that are no pixels.
void paintRank(QPainter& painter, const QRectF& cell, bool labelled, const SlicePair& slices,
               const Extents& tensor_shape, const PictureAxes& axes, const Theme& theme);

/// The colour of a slice; the whole tensor is neutral.
QColor sliceColour(int hue, const Theme& theme);

}  // namespace overlap::ui
