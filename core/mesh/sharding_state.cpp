#include "core/mesh/sharding_state.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/wording.h"
#include "core/mesh/sharding_text.h"

namespace overlap {

namespace {

/// The state as its own name in messages. An order that is wrong cannot be written as text, so only placements are.
[[noreturn]] void fail(const ShardingState& state, std::string problem) {
    std::string text;
    for (const Placement& placement : state.placements) text += to_text(placement);
    throw InputError("state \"" + text + "\"", std::move(problem));
}

std::string mesh_dim_text(int mesh_dim) {
    return "mesh dimension " + std::to_string(mesh_dim);
}

void validate_entry(const ShardingState& state, const ShardOrderEntry& entry, std::vector<bool>& seen) {
    const std::string tensor_dim = "tensor dimension " + std::to_string(entry.tensor_dim);
    if (entry.mesh_dims.empty()) fail(state, "the order of " + tensor_dim + " is empty");
    for (const int mesh_dim : entry.mesh_dims) {
        if (mesh_dim < 0 || mesh_dim >= static_cast<int>(state.placements.size()))
            fail(state, "the order of " + tensor_dim + " names " + mesh_dim_text(mesh_dim) + ", the mesh has " +
                            std::to_string(state.placements.size()));
        if (seen[static_cast<std::size_t>(mesh_dim)])
            fail(state, "the order names " + mesh_dim_text(mesh_dim) + " twice");
        seen[static_cast<std::size_t>(mesh_dim)] = true;
        const Placement& placement = state.placements[static_cast<std::size_t>(mesh_dim)];
        if (placement != Placement::shard(entry.tensor_dim))
            fail(state, "the order of " + tensor_dim + " names " + mesh_dim_text(mesh_dim) + ", which is " +
                            to_text(placement));
    }
}

void validate_order(const ShardingState& state) {
    std::vector<bool> seen(state.placements.size(), false);
    for (std::size_t entry = 0; entry < state.shard_order.size(); ++entry) {
        const int tensor_dim = state.shard_order[entry].tensor_dim;
        if (tensor_dim < 0 || (entry > 0 && tensor_dim <= state.shard_order[entry - 1].tensor_dim))
            fail(state, "the entries of an order name tensor dimensions in ascending order, each once");
        validate_entry(state, state.shard_order[entry], seen);
    }
    for (std::size_t mesh_dim = 0; mesh_dim < seen.size(); ++mesh_dim)
        if (state.placements[mesh_dim].is_shard() && !seen[mesh_dim])
            fail(state, "the order of tensor dimension " + std::to_string(state.placements[mesh_dim].tensor_dim) +
                            " lacks " + mesh_dim_text(static_cast<int>(mesh_dim)));
}

}  // namespace

ShardOrder default_shard_order(const std::vector<Placement>& placements) {
    ShardOrder order;
    for (std::size_t mesh_dim = 0; mesh_dim < placements.size(); ++mesh_dim) {
        if (!placements[mesh_dim].cuts()) continue;
        const int tensor_dim = placements[mesh_dim].tensor_dim;
        auto entry = std::find_if(order.begin(), order.end(),
                                  [&](const ShardOrderEntry& known) { return known.tensor_dim >= tensor_dim; });
        if (entry == order.end() || entry->tensor_dim != tensor_dim) entry = order.insert(entry, {tensor_dim, {}});
        entry->mesh_dims.push_back(static_cast<int>(mesh_dim));
    }
    return order;
}

bool is_default_order(const ShardingState& state) {
    return std::all_of(state.shard_order.begin(), state.shard_order.end(), [](const ShardOrderEntry& entry) {
        return std::is_sorted(entry.mesh_dims.begin(), entry.mesh_dims.end());
    });
}

bool has_strided_shard(const std::vector<Placement>& placements) {
    return std::any_of(placements.begin(), placements.end(),
                       [](const Placement& placement) { return placement.is_strided_shard(); });
}

ShardingState state_in_default_order(std::vector<Placement> placements) {
    ShardOrder order = default_shard_order(placements);
    return {std::move(placements), std::move(order)};
}

std::vector<int> mesh_dims_of(const ShardOrder& order, int tensor_dim) {
    for (const ShardOrderEntry& entry : order)
        if (entry.tensor_dim == tensor_dim) return entry.mesh_dims;
    return {};
}

void validate_state(const ShardingState& state, const DeviceMesh& mesh, int tensor_dims) {
    if (state.placements.size() != mesh.shape.size())
        fail(state, "the mesh has " + counted(mesh.shape.size(), "dimension") + ", the state " +
                        counted(state.placements.size(), "placement"));
    for (const Placement& placement : state.placements)
        if (placement.cuts() && (placement.tensor_dim < 0 || placement.tensor_dim >= tensor_dims))
            fail(state, to_text(placement) + " cuts a dimension that the tensor does not have: it has " +
                            std::to_string(tensor_dims));
    if (mixes_reduce_ops(state.placements))
        fail(state, "torch does not mix partial operations in one placement other than sum with avg");
    // torch checks no order where a strided shard is present: there the strides say the order.
    if (!has_strided_shard(state.placements)) validate_order(state);
}

bool mixes_reduce_ops(const std::vector<Placement>& placements) {
    unsigned ops = 0;
    for (const Placement& placement : placements)
        if (placement.is_partial()) ops |= 1U << static_cast<unsigned>(placement.reduce_op);
    constexpr unsigned sum_and_avg =
        1U << static_cast<unsigned>(ReduceOp::sum) | 1U << static_cast<unsigned>(ReduceOp::avg);
    return (ops & (ops - 1)) != 0 && ops != sum_and_avg;
}

}  // namespace overlap
