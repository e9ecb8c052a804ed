#include "core/io/redistribution_answers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/files/ordered_json.h"
#include "core/mesh/planners/optimal_planner.h"
#include "core/mesh/planners/strided_order.h"
#include "core/mesh/shard_layout.h"
#include "core/mesh/sharding_text.h"

namespace overlap {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: the files write it as a word.
Json cost_json(double cost) {
    return std::isinf(cost) ? Json("inf") : Json(cost);
}

Json step_json(const RedistributionStep& step) {
    Json json = {{"mesh_dims", step.mesh_dims},
                 {"src", to_text(step.source)},
                 {"dst", to_text(step.destination)},
                 {"kind", to_text(step.kind)},
                 {"logical_shape", step.logical_shape}};
    if (!std::isnan(step.cost)) json["cost"] = step.cost;
    if (step.flattened()) json["flattened"] = true;
    if (step.average_over > 1) json["avg_scale"] = step.average_over;
    return json;
}

Json plan_json(const RedistributionPlan& plan, const RedistributionCase& question) {
    Json steps = Json::array();
    for (const RedistributionStep& step : plan.steps) steps.push_back(step_json(step));
    Json json = {{"steps", std::move(steps)}};
    if (!std::isnan(plan.total_cost)) json["total_cost"] = plan.total_cost;
    json["path"] = path_text(plan);
    if (const std::string error = execution_error(plan); !error.empty()) json["torch_error"] = error;
    if (gathers_wrong_data(plan, question.mesh, question.tensor.shape)) json["torch_wrong_when_executed"] = true;
    return json;
}

/// A plan that a search found, even if it visited no state.
Json searched_json(const RedistributionPlan& plan, const RedistributionCase& question) {
    Json json = plan_json(plan, question);
    json["states_expanded"] = plan.states_expanded;
    return json;
}

Json flattened_json(const RedistributionPlan& plan, const RedistributionCase& question, const char* base) {
    Json json = plan_json(plan, question);
    json["base"] = base;
    return json;
}

Json optimal_json(const OptimalPlan& optimal, const RedistributionCase& question) {
    Json json = searched_json(optimal.plan, question);
    // `needs` lists what torch would refuse or do wrong: merged gathers need true sizes, for example.
    json.erase("torch_wrong_when_executed");
    json.erase("torch_error");
    for (std::size_t step = 0; step < optimal.needs.size(); ++step)
        if (optimal.needs[step] != StepNeeds::nothing) json["steps"][step]["needs"] = explain(optimal.needs[step]);
    return json;
}

bool plain_default_order(const ShardingState& state) {
    return is_default_order(state) && !has_strided_shard(state.placements);
}

Json layout_json(const LayoutCase& question) {
    Json ranks = Json::array();
    for (std::int64_t rank = 0; rank < question.mesh.rank_count(); ++rank) {
        Json offsets = Json::array(), sizes = Json::array(), ranges = Json::array();
        bool contiguous = true;
        for (const DimensionPart& part :
             local_parts(question.state, question.mesh, question.tensor_shape, question.mesh.coordinate(rank))) {
            offsets.push_back(part.front().begin);
            sizes.push_back(size_of(part));
            contiguous &= part.size() == 1;
            Json dimension = Json::array();
            for (const IndexRange& range : part) dimension.push_back(Json::array({range.begin, range.size()}));
            ranges.push_back(std::move(dimension));
        }
        // A strided shard holds several ranges of a dimension: [offset, size] pairs instead.
        ranks.push_back(contiguous ? Json::array({std::move(offsets), std::move(sizes)}) : std::move(ranges));
    }
    return {{"id", question.id}, {"rank_offset_size", std::move(ranks)}};
}

Json order_json(const ShardOrder& order) {
    Json json = Json::array();
    for (const ShardOrderEntry& entry : order) json.push_back(Json::array({entry.tensor_dim, entry.mesh_dims}));
    return json;
}

Json strided_json(const StridedOrderCase& question) {
    Json json = {{"mesh_shape", question.mesh.shape}};
    if (!question.id.empty()) json["id"] = question.id;
    std::vector<Placement> strided = question.strided;
    if (question.state) {
        strided = strided_placements(*question.state, question.mesh);
        json["shard_order"] = order_json(question.state->shard_order);
        json["text"] = to_text(*question.state);
    }
    Json texts = Json::array();
    for (const Placement& placement : strided) texts.push_back(to_text(placement));
    json["strided"] = std::move(texts);
    const std::optional<ShardingState> decoded = decode_strided_placements(strided, question.mesh);
    json["decoded"] = decoded ? order_json(decoded->shard_order) : Json();
    if (question.state) json["roundtrip"] = decoded && *decoded == *question.state;
    return json;
}

Json nccl_json(const NcclCase& question) {
    const NcclTopology topology =
        nccl_topology(find_nccl_config(question.config), question.mesh_shape, question.mesh_dim);
    Json costs = Json::array();
    for (const std::int64_t bytes : question.bytes)
        costs.push_back(Json::array({bytes, cost_json(nccl_time_us(topology, question.collective, bytes))}));
    return {{"id", question.id}, {"cost_us", std::move(costs)}};
}

bool encodes_order(const RedistributionCase& question) {
    return question.strided_shards == StridedShards::encode_order &&
           (has_strided_shard(question.source.placements) || has_strided_shard(question.target.placements));
}

/// The query as torch's graph planner takes it: orders that strided shards encode are made explicit. Nothing where they
/// encode none, since torch then does not use that planner.
std::optional<RedistributionCase> with_decoded_orders(const RedistributionCase& question) {
    RedistributionCase plain = question;
    if (!encodes_order(question)) return plain;
    for (ShardingState* state : {&plain.source, &plain.target}) {
        if (!has_strided_shard(state->placements)) continue;
        std::optional<ShardingState> decoded = decode_strided_placements(state->placements, question.mesh);
        if (!decoded) return std::nullopt;
        *state = *std::move(decoded);
    }
    return plain;
}

/// torch knows no order where strided shards encode one, and then gives every redistribution an infinite cost, but the
/// one from replicates no cost.
double encoded_strategy_cost(const ShardingState& source) {
    const bool replicated = std::all_of(source.placements.begin(), source.placements.end(),
                                        [](const Placement& placement) { return placement.is_replicate(); });
    return replicated ? 0.0 : std::numeric_limits<double>::infinity();
}

}  // namespace

/// Everything that plans for one mesh and tensor.
class RedistributionAnswers::Planners {
  public:
    /// @param costs used to find the optimal plan; without them torch's topology is used.
    Planners(const DeviceMesh& mesh, const MeshTensor& tensor, const std::optional<MeasuredTable>& costs)
        : mesh_(mesh),
          tensor_(tensor),
          torch_times(overlap::torch_times(mesh)),
          own_times(costs ? table_times(*costs, mesh) : overlap::torch_times(mesh)),
          fixed_times(overlap::fixed_times()),
          graph_torch(mesh, tensor, *torch_times),
          graph_fixed(mesh, tensor, *fixed_times, {.free_strided_gathers = false}),
          optimal(mesh, tensor, *own_times),
          permuting(mesh, tensor, *torch_times, {.moved_mesh_dims_suffice = true}),
          merging(mesh, tensor, *torch_times, {.merged_collectives = true, .permutations = false}),
          merging_fixed(mesh, tensor, *fixed_times, {.merged_collectives = true, .permutations = false}) {}

    bool serve(const DeviceMesh& mesh, const MeshTensor& tensor) const {
        return mesh.shape == mesh_.shape && mesh.dim_names == mesh_.dim_names &&
               mesh.devices_per_host == mesh_.devices_per_host && tensor.shape == tensor_.shape &&
               tensor.element_bytes == tensor_.element_bytes;
    }

  private:
    DeviceMesh mesh_;
    MeshTensor tensor_;

  public:
    /// Costs of plans on one scale: merged steps priced, groups of one rank free.
    Json totals(const RedistributionCase& question, const RedistributionPlan& graph,
                const RedistributionPlan& flattened, const RedistributionPlan& executed,
                const RedistributionPlan& fixed) {
        const auto torch_cost = [&](const RedistributionPlan& plan) {
            return cost_json(executed_cost(plan, mesh_, tensor_, *torch_times));
        };
        const auto least = [&](OptimalPlanner& planner) { return planner.cost(question.source, question.target); };
        return {{"torch_graph", graph.total_cost},
                {"torch_graph_posthoc_flattened", torch_cost(flattened)},
                {"torch_default_executed", torch_cost(executed)},
                {"optimum_torch_edges", graph.total_cost},
                {"optimum_flat", least(merging)},
                {"optimum_flat_permute", least(permuting)},
                {"optimum_fixed_torch_edges", fixed.total_cost},
                {"optimum_fixed_flat", least(merging_fixed)}};
    }

    std::unique_ptr<CollectiveTimes> torch_times, own_times, fixed_times;
    GraphPlanner graph_torch, graph_fixed;
    OptimalPlanner optimal, permuting, merging, merging_fixed;
};

RedistributionAnswers::RedistributionAnswers(std::optional<MeasuredTable> costs) : costs_(std::move(costs)) {}
RedistributionAnswers::~RedistributionAnswers() = default;

nlohmann::ordered_json RedistributionAnswers::plans_of(const RedistributionCase& question) {
    if (!planners_ || !planners_->serve(question.mesh, question.tensor))
        planners_ = std::make_unique<Planners>(question.mesh, question.tensor, costs_);
    Planners& planners = *planners_;
    const DeviceMesh& mesh = question.mesh;
    const MeshTensor& tensor = question.tensor;
    const std::optional<RedistributionCase> plain = with_decoded_orders(question);

    const RedistributionPlan chosen = default_plan(question.source, question.target, mesh, tensor, planners.graph_torch,
                                                   *planners.torch_times, question.strided_shards);
    const RedistributionPlan executed = flatten_consecutive_steps(chosen, mesh);
    const bool encoded = encodes_order(question);
    const bool greedy =
        !plain || (!encoded && plain_default_order(question.source) && plain_default_order(question.target));

    Json result = {{"id", question.id}};
    result["strategy_cost"] = encoded ? cost_json(encoded_strategy_cost(question.source))
                                      : cost_json(strategy_cost(chosen, question.source, mesh, tensor));
    Json plans, totals;
    if (plain) {
        const RedistributionPlan graph = planners.graph_torch.plan(plain->source, plain->target);
        const RedistributionPlan fixed = planners.graph_fixed.plan(plain->source, plain->target);
        const RedistributionPlan flattened = flatten_consecutive_steps(graph, mesh);
        plans["graph_torch"] = searched_json(graph, question);
        plans["graph_fixed"] = searched_json(fixed, question);
        if (flattened.steps.size() != graph.steps.size())
            plans["graph_torch_flattened"] = flattened_json(flattened, question, "graph_torch");
        totals = planners.totals(*plain, graph, flattened, executed, fixed);
    }
    if (greedy) plans["greedy"] = plan_json(chosen, question);
    if (executed.steps.size() != chosen.steps.size())
        plans["executed_default"] = flattened_json(executed, question, greedy ? "greedy" : "graph_torch");
    const RedistributionCase& for_optimal = plain ? *plain : question;
    plans["optimal"] = optimal_json(planners.optimal.plan(for_optimal.source, for_optimal.target), question);
    result["plans"] = std::move(plans);
    if (plain) result.update(totals);
    return result;
}

nlohmann::ordered_json RedistributionAnswers::answer(const MeshCase& question) {
    if (const auto* layout = std::get_if<LayoutCase>(&question)) return layout_json(*layout);
    if (const auto* strided = std::get_if<StridedOrderCase>(&question)) return strided_json(*strided);
    if (const auto* nccl = std::get_if<NcclCase>(&question)) return nccl_json(*nccl);
    const auto& redistribution = std::get<RedistributionCase>(question);
    try {
        return plans_of(redistribution);
    } catch (const InputError& error) {
        return {{"id", redistribution.id}, {"error", error.problem()}};
    }
}

}  // namespace overlap
