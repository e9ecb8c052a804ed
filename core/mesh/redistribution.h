#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/mesh/sharding_state.h"

namespace overlap {

/// What one step does, on the ranks that differ only in the step's mesh dimensions.
enum class StepKind : std::uint8_t {
    all_gather,      ///< S(a) to R
    all_to_all,      ///< S(a) to S(b)
    all_reduce,      ///< P to R
    reduce_scatter,  ///< P to S(b)
    chunk,           ///< R to S(b): each rank keeps its part, nothing is sent
    partition,       ///< R to P: each rank keeps its share of the value, nothing is sent
    embed_zero,      ///< S(a) to P(sum): zeros around the shard, nothing is sent
    permute,         ///< S(a) in one order to S(a) in another: one exchange. Used by our own planner only
    unsupported,     ///< a pair that the greedy planner emits and torch's executor refuses
};

/// `all_gather` and so on.
std::string_view to_text(StepKind kind);

/// True for kinds that send data.
bool communicates(StepKind kind);

/// The kind of a step that turns `source` into `destination` on one mesh dimension.
StepKind step_kind(const Placement& source, const Placement& destination);

/// One step of a plan: the same change of placement on one mesh dimension, or on several by one collective.
struct RedistributionStep {
    /// Ascending. Several: one collective over the communicator of all of them (a flattened mesh).
    std::vector<int> mesh_dims;
    Placement source, destination;
    StepKind kind = StepKind::unsupported;
    /// The tensor's shape as the ranks of the step see it before it is cut by the step's mesh dimensions, at rank 0.
    Extents logical_shape;
    /// Microseconds, or units of the fixed model. NaN where the planner prices nothing: torch's flattened steps and
    /// steps that torch cannot execute.
    double cost = 0.0;
    /// What the result must be divided by after the collective: a merged reduction of averages runs as a sum.
    std::int64_t average_over = 1;

    bool flattened() const { return mesh_dims.size() > 1; }
};

/// A sequence of steps from one state to another.
struct RedistributionPlan {
    std::vector<ShardingState> states;  ///< the source, and the state after each step
    std::vector<RedistributionStep> steps;
    double total_cost = 0.0;          ///< sum of the steps' costs from the first to the last; NaN if one has none
    std::size_t states_expanded = 0;  ///< by the search; 0 for plans without one
};

/// True when torch can split a value into parts that reduce to it: for all but product and the bitwise operations.
bool can_be_partitioned(ReduceOp op);

/// Fills in what a merged step of our own planner has besides its placements: the logical shape without any of its mesh
/// dimensions, and the divisor of averages.
void describe_merged_step(RedistributionStep& step, const ShardingState& before, const DeviceMesh& mesh,
                          const Extents& tensor_shape, const Extents& coordinate);

/// States joined by `->`, a flattened step by `-->`.
std::string path_text(const RedistributionPlan& plan);

/// Why torch's executor refuses the plan, as a sentence; empty when it runs it: greedy plans may hold steps that do not
/// exist (S to P(max)), merged gathers of strided shards are asserted against, and R to P(product) has no value.
std::string execution_error(const RedistributionPlan& plan);

/// True when torch's executor runs the plan and delivers wrong data: a merged all_gather whose nested parts are not the
/// flat chunks of the communicator, at some rank (torch 2.15, known upstream). `wrong_step` receives its index.
bool gathers_wrong_data(const RedistributionPlan& plan, const DeviceMesh& mesh, const Extents& tensor_shape,
                        std::size_t* wrong_step = nullptr);

}  // namespace overlap
