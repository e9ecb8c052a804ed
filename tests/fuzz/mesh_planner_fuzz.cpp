// libFuzzer target: torch's planners and ours on a small mesh: every plan leads from the source to the target, and ours
// is never dearer than torch's.

#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/mesh/planners/optimal_planner.h"
#include "core/mesh/planners/torch_planners.h"
#include "tests/fuzz/choices.h"
#include "tests/fuzz/fuzz_target.h"

namespace overlap::fuzz {
namespace {

constexpr std::size_t most_mesh_dims = 3, most_tensor_dims = 3;

ShardingState chosen_state(int mesh_dims, int tensor_dims, Choices& choices) {
    std::vector<Placement> placements;
    for (int mesh_dim = 0; mesh_dim < mesh_dims; ++mesh_dim) {
        const int tensor_dim = static_cast<int>(choices.below(static_cast<std::size_t>(tensor_dims) + 1));
        switch (choices.below(8)) {
            case 0:
                placements.push_back(Placement::partial(static_cast<ReduceOp>(choices.below(8))));
                break;
            case 1:
                placements.push_back(Placement::replicate());
                break;
            case 2:
                placements.push_back(
                    Placement::strided_shard(tensor_dim, static_cast<std::int64_t>(1 + choices.below(4))));
                break;
            default:
                placements.push_back(Placement::shard(tensor_dim));
        }
    }
    ShardingState state = state_in_default_order(std::move(placements));
    for (ShardOrderEntry& entry : state.shard_order) {
        if (entry.mesh_dims.size() > 1 && choices.one_in(2)) std::swap(entry.mesh_dims.front(), entry.mesh_dims.back());
    }
    return state;
}

/// A question of a few bytes opens a space of states: for each mesh dimension a placement, in any order, a word each.
std::size_t state_bytes(const DeviceMesh& mesh, const MeshTensor& tensor) {
    constexpr std::size_t word_bytes = 8, not_sharded = 3, strided = 2 * most_mesh_dims;
    std::size_t states = 1;
    for (int dim = 0; dim < mesh.dims(); ++dim) {
        const auto order = static_cast<std::size_t>(dim) + 1;
        states *= order * (not_sharded + strided + static_cast<std::size_t>(tensor.dims()));
    }
    return states * word_bytes;
}

void check(const RedistributionPlan& plan, const ShardingState& source, const ShardingState& target) {
    require(!plan.states.empty() && plan.states.front() == source, "a plan begins elsewhere");
    require(plan.states.back() == target, "a plan ends elsewhere");
    require(plan.states.size() == plan.steps.size() + 1, "a plan has another number of states than steps");
    path_text(plan);
    execution_error(plan);
}

}  // namespace

void run(std::string_view input) {
    Choices choices(input);
    DeviceMesh mesh;
    for (std::size_t left = 1 + choices.below(most_mesh_dims); left > 0; --left) {
        mesh.shape.push_back(static_cast<std::int64_t>(1 + choices.below(4)));
    }
    Extents shape;
    for (std::size_t left = choices.below(most_tensor_dims + 1); left > 0; --left) {
        shape.push_back(static_cast<std::int64_t>(choices.below(300)));
    }
    const MeshTensor tensor = MeshTensor::of(shape, choices.one_in(2) ? "bfloat16" : "float32");
    const ShardingState source = chosen_state(mesh.dims(), tensor.dims(), choices);
    const ShardingState target = chosen_state(mesh.dims(), tensor.dims(), choices);
    validate_state(source, mesh, tensor.dims());
    validate_state(target, mesh, tensor.dims());

    count_input(state_bytes(mesh, tensor));
    const auto times = torch_times(mesh);
    GraphPlanner graph_planner(mesh, tensor, *times);
    std::optional<double> torch_cost;
    try {
        const RedistributionPlan plan = graph_planner.plan(source, target);
        check(plan, source, target);
        torch_cost = plan_cost(plan, mesh, tensor, *times);
        flatten_consecutive_steps(plan, mesh);
    } catch (const InputError&) {
        // No way of torch's leads there; one of ours may.
    }
    if (is_default_order(source) && is_default_order(target)) greedy_plan(source, target, mesh, tensor, *times);
    OptimalPlanner optimal_planner(mesh, tensor, *times);
    const OptimalPlan optimal = optimal_planner.plan(source, target);
    check(optimal.plan, source, target);
    require(optimal.needs.size() == optimal.plan.steps.size(), "steps are not told what they need");
    if (torch_cost && !has_strided_shard(source.placements) && !has_strided_shard(target.placements)) {
        require(plan_cost(optimal.plan, mesh, tensor, *times) <= *torch_cost * (1 + 1e-9) + 1e-9,
                "the cheapest plan is dearer than torch's");
    }
}

}  // namespace overlap::fuzz
