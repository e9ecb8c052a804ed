#include "core/redistribution/order_comparison.h"

#include <algorithm>
#include <tuple>

#include "core/base/error.h"
#include "core/base/rounding.h"
#include "core/cost/cost_model.h"
#include "core/mesh/measured_series.h"
#include "core/mesh/planners/torch_planners.h"
#include "core/mesh/shard_layout.h"
#include "core/mesh/sharding_text.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/redistribution/link_times.h"

namespace overlap {

namespace {

using Role = RedistributionChain::Role;

/// All orders that cut as `storage` does.
std::vector<ShardingState> all_orders(const ShardingState& storage) {
    std::vector<ShardingState> states = {storage};
    for (std::size_t entry = 0; entry < storage.shard_order.size(); ++entry) {
        std::vector<int> dims = storage.shard_order[entry].mesh_dims;
        std::ranges::sort(dims);
        std::vector<ShardingState> wider;
        do {
            for (ShardingState state : states) {
                state.shard_order[entry].mesh_dims = dims;
                wider.push_back(std::move(state));
            }
        } while (std::ranges::next_permutation(dims).found);
        states = std::move(wider);
    }
    return states;
}

}  // namespace

/// The planners of one tensor on one mesh, and what they have found.
class OrderComparer::Workshop {
  public:
    Workshop(const Graph& graph, GroupMesh mesh, MeshTensor tensor)
        : mesh_(std::move(mesh)),
          tensor_(std::move(tensor)),
          times_(graph, mesh_),
          graph_planner_(mesh_.mesh, tensor_, times_),
          optimal_planner_(mesh_.mesh, tensor_, times_) {}

    const ChainAlternative& plan(const ShardingState& source, const ShardingState& target) {
        const auto [known, added] = plans_.try_emplace(to_text(source) + ">" + to_text(target));
        if (added) {
            known->second.torch = priced(torch_plan(source, target), {});
            OptimalPlan optimal = optimal_planner_.plan(source, target);
            known->second.optimal = priced(std::move(optimal.plan), std::move(optimal.needs));
        }
        return known->second;
    }

  private:
    RedistributionPlan torch_plan(const ShardingState& source, const ShardingState& target) {
        RedistributionPlan plan = default_plan(source, target, mesh_.mesh, tensor_, graph_planner_, times_);
        if (std::string error = execution_error(plan); !error.empty()) throw InputError("", error);
        RedistributionPlan merged = flatten_consecutive_steps(plan, mesh_.mesh);
        const bool has_groups = std::ranges::all_of(merged.steps, [&](const RedistributionStep& step) {
            return !step.flattened() || times_.group_over(step.mesh_dims);
        });
        const bool right = !gathers_wrong_data(merged, mesh_.mesh, tensor_.shape);
        return has_groups && right ? merged : plan;
    }

    PricedPlan priced(RedistributionPlan plan, std::vector<StepNeeds> needs) const {
        PricedPlan priced;
        for (std::size_t index = 0; index < plan.steps.size(); ++index) {
            const RedistributionStep& step = plan.steps[index];
            std::int64_t ranks = 1;
            // The first of the step's ranks has a whole piece, and to that the others are padded.
            Extents coordinate = mesh_.coordinate;
            for (const int dim : step.mesh_dims) {
                ranks *= mesh_.mesh.shape[static_cast<std::size_t>(dim)];
                coordinate[static_cast<std::size_t>(dim)] = 0;
            }
            if (!communicates(step.kind) || ranks == 1) continue;
            MeshTensor local = tensor_;
            local.shape = local_shape(plan.states[index], mesh_.mesh, tensor_.shape, coordinate);
            if (step.destination.is_shard()) {
                // What is scattered is padded to pieces of one size.
                std::int64_t& size = local.shape[static_cast<std::size_t>(step.destination.tensor_dim)];
                size = (size + ranks - 1) / ranks * ranks;
            }
            const auto bytes =
                static_cast<std::int64_t>(collective_bytes(step.kind, static_cast<double>(local.bytes()), ranks));
            priced.bytes += bytes;
            priced.time_ms += times_.time_ms(step.kind, step.mesh_dims, bytes);
        }
        priced.plan = std::move(plan);
        priced.needs = std::move(needs);
        return priced;
    }

    GroupMesh mesh_;
    MeshTensor tensor_;
    LinkTimes times_;
    GraphPlanner graph_planner_;
    OptimalPlanner optimal_planner_;
    std::map<std::string, ChainAlternative> plans_;
};

const OrderAlternative* OrderComparison::find(const ShardingState& storage) const {
    const auto found = std::ranges::find(alternatives, storage, &OrderAlternative::storage);
    return found == alternatives.end() ? nullptr : &*found;
}

OrderComparer::OrderComparer(const Graph& graph) : graph_(graph) {}

OrderComparer::~OrderComparer() = default;

OrderComparer::Workshop& OrderComparer::workshop(const GroupMesh& mesh, const MeshTensor& tensor) {
    std::string key = tensor.dtype;
    for (const std::int64_t size : tensor.shape) key.append(" ").append(std::to_string(size));
    for (const std::string& group : mesh.groups) key.append("\n").append(group);
    std::unique_ptr<Workshop>& known = workshops_[key];
    if (!known) known = std::make_unique<Workshop>(graph_, mesh, tensor);
    return *known;
}

const ChainAlternative& OrderComparer::plan(const ParameterChains& parameter, const RedistributionChain& chain,
                                            const ShardingState& storage) {
    Workshop& planners = workshop(parameter.mesh, chain.tensor);
    return chain.role == Role::gradient ? planners.plan(chain.source(), storage)
                                        : planners.plan(storage, chain.target());
}

OrderComparison OrderComparer::compare(const ParameterChains& parameter) {
    OrderComparison comparison;
    comparison.obstacle = parameter.obstacle;
    if (!parameter.inferred()) return comparison;
    try {
        for (const RedistributionChain& chain : parameter.chains) {
            comparison.current_bytes += chain.bytes;
            for (const PathAction& action : chain.path.actions) {
                if (!communicates(action.kind)) continue;
                comparison.current_ms +=
                    collective_time_ms(graph_, action.process_group, graph_.target_info(action.node).starts,
                                       collective_bytes(graph_, action.node));
            }
        }
        for (ShardingState& storage : all_orders(parameter.storage)) {
            OrderAlternative alternative;
            alternative.current = storage == parameter.storage;
            for (const RedistributionChain& chain : parameter.chains) {
                const ChainAlternative& planned = plan(parameter, chain, storage);
                alternative.torch_ms += planned.torch.time_ms;
                alternative.torch_bytes += planned.torch.bytes;
                alternative.optimal_ms += planned.optimal.time_ms;
                alternative.optimal_bytes += planned.optimal.bytes;
                alternative.chains.push_back(planned);
            }
            alternative.storage = std::move(storage);
            alternative.saved_ms = round_to_six_decimals(comparison.current_ms - alternative.torch_ms);
            alternative.saved_bytes = comparison.current_bytes - alternative.torch_bytes;
            comparison.alternatives.push_back(std::move(alternative));
        }
    } catch (const InputError& error) {
        comparison.obstacle = error.problem();
        comparison.alternatives.clear();
        return comparison;
    }
    std::ranges::stable_sort(comparison.alternatives, {}, [](const OrderAlternative& alternative) {
        return std::tuple(alternative.torch_ms, alternative.torch_bytes, alternative.optimal_ms, !alternative.current);
    });
    return comparison;
}

}  // namespace overlap
