#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/layout/box_tree.h"
#include "core/pipeline/evaluation.h"
#include "core/views/computed_time.h"

namespace overlap {

/// What kind of work a node is, for colours.
enum class OperationKind : std::uint8_t {
    matrix,      ///< torch's flop counter has a formula for it: products, convolutions, attention
    pointwise,   ///< what Inductor can fuse
    collective,  ///< starts communication, or awaits it
    view,        ///< returns an alias of its input
    input,       ///< placeholders, attributes, the output
    other,
};
inline constexpr std::size_t operation_kind_count = 6;

/// When in the step a node runs, for colours.
enum class Stage : std::uint8_t {
    input,
    forward,
    recomputed,  ///< forward work done again in the backward pass
    backward,
};
inline constexpr std::size_t stage_count = 4;

OperationKind operation_kind(const Graph& graph, NodeId node);

/// What a box holds. Nodes that have no module count for their own operation and for boxes that are no modules: figures
/// of a module are those of module_figures() in one direction, and compute that of module_computed_ms().
struct BoxFigures {
    double compute_ms = 0;  ///< what is done again in the backward pass is where it was done first
    double communication_ms = 0;
    std::int64_t gather_bytes = 0;
    std::int64_t scatter_bytes = 0;
    std::int64_t other_bytes = 0;  ///< of other collectives
    std::uint32_t collectives = 0;
    OperationKind kind = OperationKind::other;  ///< of most of its time, else of most of its nodes
    Stage stage = Stage::forward;               ///< likewise
    Dtype dtype{};                              ///< of most bytes of its results
    bool has_dtype = false;                     ///< it has results that are tensors

    std::int64_t communication_bytes() const { return gather_bytes + scatter_bytes + other_bytes; }
    bool operator==(const BoxFigures&) const = default;
};

/// Figures of all boxes, in time linear in their number and the nodes.
/// @param times_ms of each node.
/// @param removed collectives that do not run with the plan, see removed_collectives(): they communicate
/// nothing.
std::vector<BoxFigures> box_figures(const Graph& graph, const BoxTree& tree, const BoxPlaces& places,
                                    std::span<const double> times_ms, std::span<const NodeId> removed = {});

/// The same with the compute of a plan's result. @param modules that `tree` and `computed` are of.
std::vector<BoxFigures> box_figures(const Graph& graph, const BoxTree& tree, const BoxPlaces& places,
                                    std::span<const double> times_ms, std::span<const NodeId> removed,
                                    const ComputedTime& computed, const ModuleTree& modules);

/// Exposed milliseconds of each box, for an evaluation of the graph that the boxes are of: of the collectives that it
/// holds (see exposed_ms_of_input()).
std::vector<double> box_exposed_ms(const Evaluation& evaluation, const BoxTree& tree);

}  // namespace overlap
