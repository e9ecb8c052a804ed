#pragma once

#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

#include "core/layout/box_tree.h"
#include "core/layout/layout_cache.h"
#include "core/layout/level_layout.h"

namespace overlap {

/// A box that is drawn, and where.
struct PlacedBox {
    BoxId box = no_box;
    std::uint32_t depth = 0;  ///< levels below the root
    bool open = false;        ///< its children are drawn inside
    LayoutRect rect;
    /// What edges that are stubs bring in and take out. Tensors that go to several boxes count for each.
    LevelEdge stubs_in, stubs_out;
};

/// An edge that is drawn as a curve.
struct PlacedEdge {
    LevelEdge edge;
    std::uint32_t first_point = 0;  ///< of Arrangement::points: one, then three for each Bézier curve
    std::uint32_t point_count = 0;
};

/// A level that is drawn, and the key of its layout.
struct PlacedLevel {
    BoxId box = no_box;  ///< whose children it holds
    std::uint64_t key = 0;
    std::uint32_t first_box = 0, box_count = 0;    ///< of Arrangement::boxes
    std::uint32_t first_edge = 0, edge_count = 0;  ///< of Arrangement::edges
};

/// Everything that the graph view draws, in one plane. Immutable once made.
struct Arrangement {
    std::vector<PlacedBox> boxes;  ///< parents before what is inside them; siblings in order of execution
    std::vector<PlacedEdge> edges;
    std::vector<LayoutPoint> points;
    std::vector<PlacedLevel> levels;  ///< those around others first
    LayoutSize size;
    std::vector<std::uint32_t> place_of;  ///< by BoxId: index of `boxes`, or no_place

    static constexpr std::uint32_t no_place = 0xffffffffu;
    const PlacedBox* find(BoxId box) const { return place_of[box] == no_place ? nullptr : &boxes[place_of[box]]; }
    /// The box itself or the nearest one around it that is drawn; no_box for the root.
    BoxId shown(const BoxTree& tree, BoxId box) const;
    /// The innermost box at a point, or no_box.
    BoxId at(LayoutPoint point) const;
};

struct ArrangementOptions {
    /// Size of a box that is closed or cannot be opened.
    std::function<LayoutSize(BoxId)> closed_size;
    /// Least width of an open box: its title's.
    std::function<double(BoxId)> open_width;
    double header_height = 28;  ///< of an open box, above what is inside
    double padding = 12;        ///< between an open box and what is inside
};

/// Lays out every open level that the cache does not have, innermost first, and puts them into one plane. Opening a box
/// therefore costs its own level and those around it.
/// @param open boxes whose children are drawn where they themselves are; others do not matter.
std::shared_ptr<const Arrangement> arrange(const BoxTree& tree, const std::unordered_set<BoxId>& open,
                                           const ArrangementOptions& options, const LayoutEngine& engine,
                                           LayoutCache& cache);

/// The level inside a box as an engine takes it.
/// @param size of each child.
LevelGraph level_graph(const BoxTree& tree, BoxId box, const std::function<LayoutSize(BoxId)>& size);

}  // namespace overlap
