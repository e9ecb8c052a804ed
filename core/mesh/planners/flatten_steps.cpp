#include <algorithm>
#include <cmath>

#include "core/mesh/planners/torch_planners.h"
#include "core/mesh/reachable_sizes.h"

namespace overlap {

namespace {

bool mergeable_kind(const RedistributionStep& step) {
    return step.kind == StepKind::all_gather || step.kind == StepKind::all_reduce ||
           step.kind == StepKind::reduce_scatter;
}

bool sums_or_averages(const Placement& placement) {
    return placement.is_partial() && (placement.reduce_op == ReduceOp::sum || placement.reduce_op == ReduceOp::avg);
}

bool mergeable_with(const RedistributionStep& step, const RedistributionStep& first) {
    if (!mergeable_kind(step) || step.destination != first.destination) return false;
    return step.source == first.source || (sums_or_averages(step.source) && sums_or_averages(first.source));
}

/// The step of a run whose logical shape is the largest on the tensor dimension that is gathered or scattered; the
/// first of several. For an all_reduce the first.
const RedistributionStep& outermost(const std::vector<RedistributionStep>& run) {
    const RedistributionStep& first = run.front();
    if (first.kind == StepKind::all_reduce) return first;
    const auto affected = static_cast<std::size_t>(first.kind == StepKind::all_gather ? first.source.tensor_dim
                                                                                      : first.destination.tensor_dim);
    return *std::max_element(run.begin(), run.end(),
                             [&](const RedistributionStep& left, const RedistributionStep& right) {
                                 return left.logical_shape[affected] < right.logical_shape[affected];
                             });
}

/// One collective in place of a run of two or more, or nothing where torch keeps the run.
bool merge(const std::vector<RedistributionStep>& run, const DeviceMesh& mesh, RedistributionStep& merged) {
    merged = run.front();
    merged.mesh_dims.clear();
    for (const RedistributionStep& step : run) merged.mesh_dims.push_back(step.mesh_dims.front());
    const std::vector<int> in_sequence = merged.mesh_dims;
    std::sort(merged.mesh_dims.begin(), merged.mesh_dims.end());
    // Flattened meshes exist in ascending order only. Gathers run from the innermost mesh dimension outwards.
    if (merged.kind == StepKind::reduce_scatter && in_sequence != merged.mesh_dims) return false;
    if (merged.kind == StepKind::all_gather &&
        !std::equal(in_sequence.rbegin(), in_sequence.rend(), merged.mesh_dims.begin()))
        return false;

    merged.logical_shape = outermost(run).logical_shape;
    if (merged.kind == StepKind::reduce_scatter) {
        const std::int64_t size = merged.logical_shape[static_cast<std::size_t>(merged.destination.tensor_dim)];
        if (size % ranks_of(merged.mesh_dims, mesh) != 0) return false;
    }
    for (const RedistributionStep& step : run)
        if (step.source == Placement::partial(ReduceOp::avg))
            merged.average_over *= mesh.shape[static_cast<std::size_t>(step.mesh_dims.front())];
    if (merged.average_over > 1) merged.source = Placement::partial(ReduceOp::sum);
    merged.cost = std::nan("");
    return true;
}

}  // namespace

RedistributionPlan flatten_consecutive_steps(const RedistributionPlan& plan, const DeviceMesh& mesh) {
    RedistributionPlan result;
    result.states.push_back(plan.states.front());
    result.states_expanded = plan.states_expanded;
    std::size_t begin = 0;
    while (begin < plan.steps.size()) {
        std::size_t end = begin + 1;
        if (mergeable_kind(plan.steps[begin]))
            while (end < plan.steps.size() && mergeable_with(plan.steps[end], plan.steps[begin])) ++end;
        const std::vector<RedistributionStep> run(plan.steps.begin() + static_cast<std::ptrdiff_t>(begin),
                                                  plan.steps.begin() + static_cast<std::ptrdiff_t>(end));
        RedistributionStep merged;
        if (run.size() > 1 && merge(run, mesh, merged)) {
            result.total_cost = std::nan("");
            result.steps.push_back(std::move(merged));
            result.states.push_back(plan.states[end]);
        } else {
            for (std::size_t step = begin; step < end; ++step) {
                result.total_cost += plan.steps[step].cost;
                result.steps.push_back(plan.steps[step]);
                result.states.push_back(plan.states[step + 1]);
            }
        }
        begin = end;
    }
    return result;
}

}  // namespace overlap
