#include <algorithm>
#include <cmath>

#include "core/base/byte_units.h"
#include "core/mesh/planners/torch_planners.h"
#include "core/mesh/shard_layout.h"

namespace overlap {

namespace {

class GreedyWalk {
  public:
    GreedyWalk(const ShardingState& source, const ShardingState& target, const DeviceMesh& mesh,
               const MeshTensor& tensor, const CollectiveTimes& times, std::int64_t rank)
        : target_(target), mesh_(mesh), tensor_(tensor), times_(times) {
        plan_.states.push_back(source);
        gather_logical_shapes(source, mesh.coordinate(rank));
    }

    RedistributionPlan walk() {
        if (mesh_.dims() > 1 && shards_of(current()) > 1) outwards();
        for (int mesh_dim = 0; mesh_dim < mesh_.dims(); ++mesh_dim)
            move(mesh_dim, target_.placements[static_cast<std::size_t>(mesh_dim)]);
        if (std::any_of(plan_.steps.begin(), plan_.steps.end(),
                        [](const RedistributionStep& step) { return step.kind == StepKind::unsupported; }))
            forget_costs();
        return std::move(plan_);
    }

  private:
    const ShardingState& current() const { return plan_.states.back(); }

    /// torch takes logical shapes from the source once and never renews them.
    void gather_logical_shapes(const ShardingState& source, const Extents& coordinate) {
        Extents shape = tensor_.shape;
        for (std::size_t mesh_dim = 0; mesh_dim < source.placements.size(); ++mesh_dim) {
            logical_shapes_.push_back(shape);
            const Placement& placement = source.placements[mesh_dim];
            if (!placement.is_shard()) continue;
            std::int64_t& size = shape[static_cast<std::size_t>(placement.tensor_dim)];
            size = chunk_of({0, size}, mesh_.shape[mesh_dim], coordinate[mesh_dim]).size();
        }
    }

    std::int64_t shards_of(const ShardingState& state) const {
        std::int64_t shards = 1;
        for (std::size_t mesh_dim = 0; mesh_dim < state.placements.size(); ++mesh_dim)
            if (state.placements[mesh_dim].cuts()) shards *= mesh_.shape[mesh_dim];
        return shards;
    }

    /// From the innermost mesh dimension outwards; a shard whose outer cuts do not agree yet is replicated for now.
    void outwards() {
        for (int mesh_dim = mesh_.dims() - 1; mesh_dim >= 0; --mesh_dim) {
            const Placement& wanted = target_.placements[static_cast<std::size_t>(mesh_dim)];
            const bool misaligned = wanted.is_shard() && !outer_cuts_agree(mesh_dim, wanted);
            move(mesh_dim, misaligned ? Placement::replicate() : wanted);
        }
    }

    bool outer_cuts_agree(int mesh_dim, const Placement& shard) const {
        for (std::size_t outer = 0; outer < static_cast<std::size_t>(mesh_dim); ++outer)
            if ((current().placements[outer] == shard) != (target_.placements[outer] == shard)) return false;
        return true;
    }

    void move(int mesh_dim, const Placement& wanted) {
        const auto m = static_cast<std::size_t>(mesh_dim);
        if (current().placements[m] == wanted) return;
        RedistributionStep step;
        step.mesh_dims = {mesh_dim};
        step.source = current().placements[m];
        step.destination = wanted;
        step.kind = step_kind(step.source, step.destination);
        step.logical_shape = logical_shapes_[m];
        step.cost = price(step);
        plan_.total_cost += step.cost;
        plan_.states.push_back(moved(mesh_dim, wanted));
        plan_.steps.push_back(std::move(step));
    }

    double price(const RedistributionStep& step) const {
        if (!communicates(step.kind) || step.source.is_strided_shard() || step.destination.is_strided_shard())
            return 0.0;
        const double local_gib =
            static_cast<double>(tensor_.bytes()) / static_cast<double>(shards_of(current())) / bytes_per_gib;
        return times_.time(step.kind, step.mesh_dims, local_gib);
    }

    /// The state with another placement on one mesh dimension, which leaves its order and ends the new one.
    ShardingState moved(int mesh_dim, const Placement& wanted) const {
        ShardingState state = current();
        state.placements[static_cast<std::size_t>(mesh_dim)] = wanted;
        for (ShardOrderEntry& entry : state.shard_order) std::erase(entry.mesh_dims, mesh_dim);
        if (wanted.cuts()) {
            auto entry = std::find_if(state.shard_order.begin(), state.shard_order.end(),
                                      [&](const ShardOrderEntry& e) { return e.tensor_dim >= wanted.tensor_dim; });
            if (entry == state.shard_order.end() || entry->tensor_dim != wanted.tensor_dim)
                entry = state.shard_order.insert(entry, {wanted.tensor_dim, {}});
            entry->mesh_dims.push_back(mesh_dim);
        }
        std::erase_if(state.shard_order, [](const ShardOrderEntry& entry) { return entry.mesh_dims.empty(); });
        return state;
    }

    void forget_costs() {
        for (RedistributionStep& step : plan_.steps) step.cost = std::nan("");
        plan_.total_cost = std::nan("");
    }

    const ShardingState& target_;
    const DeviceMesh& mesh_;
    const MeshTensor& tensor_;
    const CollectiveTimes& times_;
    std::vector<Extents> logical_shapes_;
    RedistributionPlan plan_;
};

}  // namespace

RedistributionPlan greedy_plan(const ShardingState& source, const ShardingState& target, const DeviceMesh& mesh,
                               const MeshTensor& tensor, const CollectiveTimes& times, std::int64_t rank) {
    validate_state(source, mesh, tensor.dims());
    validate_state(target, mesh, tensor.dims());
    return GreedyWalk(source, target, mesh, tensor, times, rank).walk();
}

}  // namespace overlap
