#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/module_tree.h"

namespace overlap {

/// A box of the graph view, by its position in BoxTree.
using BoxId = std::uint32_t;
inline constexpr BoxId no_box = std::numeric_limits<BoxId>::max();

enum class BoxKind : std::uint8_t {
    root,       ///< the whole graph; not drawn itself
    module,     ///< one direction of a module
    run,        ///< neighbouring modules that are identical
    slice,      ///< some of the children of a box that has too many to be drawn at once
    operation,  ///< one node
    interface,  ///< placeholders without a module and the output
    unplaced,   ///< other nodes that have no module and no neighbour with one
};

enum class Phase : std::uint8_t { forward, backward };

struct Box {
    BoxKind kind = BoxKind::root;
    Phase phase = Phase::forward;
    /// Of a module; of a run, its first member's. no_module otherwise.
    ModuleTree::ModuleId module = ModuleTree::no_module;
    NodeId node = no_node;  ///< of an operation
    BoxId parent = no_box;
    BoxId first_child = no_box;  ///< children are neighbours
    std::uint32_t child_count = 0;
    std::uint32_t first_node = 0;  ///< of BoxTree::nodes_of()
    std::uint32_t node_count = 0;
    double order = 0;  ///< mean position of its nodes in the graph: its place in the order of execution
    /// Equal for boxes that hold the same operations on tensors of the same shapes, connected alike.
    std::uint64_t structure = 0;
    /// The same module in the other direction, if that is a sibling; no_box otherwise.
    BoxId twin = no_box;
};

/// Data that flows between two boxes which lie side by side in one box: all edges of the graph from a node inside one
/// to a node inside the other.
struct LevelEdge {
    BoxId from = no_box;
    BoxId to = no_box;
    std::uint32_t uses = 0;     ///< edges of the graph
    std::uint32_t tensors = 0;  ///< different nodes whose values they carry
    std::int64_t bytes = 0;     ///< of those values, each counted once
};

/// Where nodes belong in a BoxTree.
struct BoxPlaces {
    std::vector<ModuleTree::ModuleId> home;  ///< the module of each node, or no_module; see home_modules()
    std::vector<bool> backward;              ///< whether each node is of the backward direction
};

/// The hierarchy that the graph view draws: everything that can become a box, collapsed or not. Immutable.
///
/// Modules become boxes, one for each direction that they have nodes of. Modules that only lie on the way to others
/// (`layers`) make none: their children take their place. Nodes without a module are drawn where their inputs come
/// from. Three or more neighbouring modules with equal structure in both directions are drawn as the first one and a
/// run of the others. Boxes of more than `largest_level` children get slices.
class BoxTree {
  public:
    static constexpr BoxId root = 0;
    static constexpr std::uint32_t largest_level = 400;

    BoxTree(const Graph& graph, const ModuleTree& modules, const BoxPlaces& places);

    std::uint32_t box_count() const { return static_cast<std::uint32_t>(boxes_.size()); }
    const Box& box(BoxId id) const { return boxes_[id]; }
    bool has_children(BoxId id) const { return boxes_[id].child_count > 0; }
    /// Nodes inside a box: a range, in the order in which boxes hold them.
    std::span<const NodeId> nodes_of(BoxId id) const;
    /// The operation of a node.
    BoxId operation_of(NodeId node) const { return operation_of_[node]; }
    /// The box of a module in a direction, or no_box.
    BoxId box_of(ModuleTree::ModuleId module, Phase phase) const;
    /// What flows between the children of a box, ordered by `from`, then `to`.
    std::span<const LevelEdge> edges_in(BoxId id) const;
    /// The first and the last module of a run; the box's own twice otherwise.
    std::pair<ModuleTree::ModuleId, ModuleTree::ModuleId> modules_of_run(BoxId id) const;
    bool is_inside(BoxId box, BoxId group) const;

  private:
    friend class BoxTreeBuilder;
    void add_edges(const Graph& graph);

    std::vector<Box> boxes_;
    std::vector<NodeId> nodes_;
    std::vector<BoxId> operation_of_;
    std::vector<BoxId> box_of_module_[2];
    std::vector<LevelEdge> edges_;
    std::vector<std::uint32_t> first_edge_;  ///< by box, and the end
};

/// Boxes to open at first, so that there is something to see: the way down to the first level with more than one module
/// in a direction; where there are no modules, the slices of what is in none.
std::vector<BoxId> first_open_boxes(const BoxTree& tree);

}  // namespace overlap
