#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/direction.h"
#include "core/graph/graph.h"
#include "core/graph/module_tree.h"

namespace overlap {

/// What a module does in one step, descendants included, each node once.
struct ModuleFigures {
    std::uint32_t nodes = 0;
    double forward_ms = 0;   ///< compute in the forward direction
    double backward_ms = 0;  ///< compute in the backward direction
    std::int64_t gather_bytes = 0;
    std::int64_t scatter_bytes = 0;
    std::int64_t other_bytes = 0;  ///< all-reduces, all-to-alls and the rest
    double communication_ms = 0;
    std::uint32_t collectives = 0;
    std::uint32_t parameters = 0;      ///< placeholders that are parameters of the module, by storage
    std::int64_t parameter_bytes = 0;  ///< of the part that this rank holds

    double compute_ms() const { return forward_ms + backward_ms; }
    std::int64_t communication_bytes() const { return gather_bytes + scatter_bytes + other_bytes; }
};

struct ModuleFiguresTable {
    std::vector<ModuleFigures> modules;  ///< by ModuleTree::ModuleId; the root's are those of all nodes with a module
    ModuleFigures without_module;        ///< of ModuleTree::nodes_without_module()
};

/// Adds a collective and its bytes; nothing for others, such as products that are fused with one: they count as
/// compute.
void add_collective(const Graph& graph, NodeId collective, ModuleFigures& figures);

/// Adds a node: its time, and as a collective its bytes.
/// @param times_ms of each node.
void add_node(const Graph& graph, NodeId node, std::span<const double> times_ms, ModuleFigures& figures);

/// Figures of all modules, in time linear in the nodes and their depths.
///
/// Bytes of a collective are the larger of its input and output. is_backward() decides the direction. A parameter
/// belongs to the module that its name says (`placeholder_fqns` of the document); without names, to the innermost
/// module of the all-gathers that gather nothing but it, else to that of its first user with a module.
/// @param times_ms of each node, see node_times_ms().
ModuleFiguresTable module_figures(const Graph& graph, const ModuleTree& tree, std::span<const double> times_ms);

}  // namespace overlap
