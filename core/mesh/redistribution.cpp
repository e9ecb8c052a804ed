#include "core/mesh/redistribution.h"

#include <algorithm>
#include <array>

#include "core/mesh/reachable_sizes.h"
#include "core/mesh/shard_layout.h"
#include "core/mesh/sharding_text.h"

namespace overlap {

namespace {

constexpr std::array<std::string_view, 9> kind_names = {"all_gather",     "all_to_all", "all_reduce",
                                                        "reduce_scatter", "chunk",      "partition",
                                                        "embed_zero",     "permute",    "unsupported"};

std::string mesh_dims_text(const RedistributionStep& step) {
    std::string text = step.flattened() ? "mesh dimensions " : "mesh dimension ";
    for (std::size_t index = 0; index < step.mesh_dims.size(); ++index) {
        if (index > 0) text += ", ";
        text += std::to_string(step.mesh_dims[index]);
    }
    return text;
}

}  // namespace

std::string_view to_text(StepKind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

bool communicates(StepKind kind) {
    return kind == StepKind::all_gather || kind == StepKind::all_to_all || kind == StepKind::all_reduce ||
           kind == StepKind::reduce_scatter || kind == StepKind::permute;
}

StepKind step_kind(const Placement& source, const Placement& destination) {
    if (destination.is_replicate()) return source.is_partial() ? StepKind::all_reduce : StepKind::all_gather;
    if (destination.cuts()) {
        if (source.is_partial()) return StepKind::reduce_scatter;
        return source.cuts() ? StepKind::all_to_all : StepKind::chunk;
    }
    if (source.is_replicate()) return StepKind::partition;
    return source.is_shard() && destination.reduce_op == ReduceOp::sum ? StepKind::embed_zero : StepKind::unsupported;
}

bool can_be_partitioned(ReduceOp op) {
    return op == ReduceOp::sum || op == ReduceOp::avg || op == ReduceOp::min || op == ReduceOp::max;
}

void describe_merged_step(RedistributionStep& step, const ShardingState& before, const DeviceMesh& mesh,
                          const Extents& tensor_shape, const Extents& coordinate) {
    unsigned bits = 0;
    for (const int mesh_dim : step.mesh_dims) {
        bits |= 1U << mesh_dim;
        const auto m = static_cast<std::size_t>(mesh_dim);
        if (before.placements[m] == Placement::partial(ReduceOp::avg)) step.average_over *= mesh.shape[m];
    }
    if (step.average_over > 1) step.source = Placement::partial(ReduceOp::sum);
    step.logical_shape = shape_without(before, mesh, tensor_shape, bits, coordinate);
}

std::string path_text(const RedistributionPlan& plan) {
    std::string text = to_text(plan.states.front());
    for (std::size_t step = 0; step < plan.steps.size(); ++step) {
        text += plan.steps[step].flattened() ? "-->" : "->";
        text += to_text(plan.states[step + 1]);
    }
    return text;
}

std::string execution_error(const RedistributionPlan& plan) {
    for (const RedistributionStep& step : plan.steps) {
        const std::string change = to_text(step.source) + " to " + to_text(step.destination);
        if (step.kind == StepKind::unsupported)
            return "PyTorch cannot execute " + change + " on " + mesh_dims_text(step);
        if (step.kind == StepKind::partition && !can_be_partitioned(step.destination.reduce_op))
            return "PyTorch cannot split a value into parts whose " + std::string(to_text(step.destination.reduce_op)) +
                   " it is (" + change + " on " + mesh_dims_text(step) + ")";
        if (step.flattened() && step.source.is_strided_shard())
            return "PyTorch merges the gathers of " + mesh_dims_text(step) +
                   " and then asserts that strided shards "
                   "are not merged";
    }
    return {};
}

bool gathers_wrong_data(const RedistributionPlan& plan, const DeviceMesh& mesh, const Extents& tensor_shape,
                        std::size_t* wrong_step) {
    if (!execution_error(plan).empty()) return false;
    for (std::size_t index = 0; index < plan.steps.size(); ++index) {
        const RedistributionStep& step = plan.steps[index];
        if (step.kind != StepKind::all_gather || !step.flattened() || !step.source.is_shard()) continue;
        const std::vector<int> order = mesh_dims_of(plan.states[index].shard_order, step.source.tensor_dim);
        const std::size_t kept = order.size() - step.mesh_dims.size();
        const std::vector<int> before(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept));
        const auto d = static_cast<std::size_t>(step.source.tensor_dim);
        for (const std::int64_t size : reachable_sizes(tensor_shape[d], before, mesh))
            if (!nested_parts_are_flat(size, step.mesh_dims, mesh)) {
                if (wrong_step != nullptr) *wrong_step = index;
                return true;
            }
    }
    return false;
}

}  // namespace overlap
