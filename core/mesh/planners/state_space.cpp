#include "core/mesh/planners/state_space.h"

#include <algorithm>
#include <bit>

#include "core/mesh/exchange_group.h"
#include "core/mesh/redistribution.h"

namespace overlap {

namespace {

/// What a step that torch's redistribution cannot do adds to a path, more than all merged steps of one add together:
/// among paths of exactly one cost, one that torch can run is chosen where there is one.
constexpr unsigned foreign_step_penalty = 32;

/// Mesh dimensions of a bit set, ascending.
struct MeshDims {
    std::array<int, DeviceMesh::dims_limit> dims{};
    int count = 0;
};

MeshDims listed(unsigned bits) {
    MeshDims list;
    for (int dim = 0; dim < DeviceMesh::dims_limit; ++dim)
        if ((bits >> dim & 1U) != 0) list.dims[static_cast<std::size_t>(list.count++)] = dim;
    return list;
}

constexpr unsigned bit(int mesh_dim) {
    return 1U << mesh_dim;
}

bool is_partial(unsigned code) {
    return code >= StateCode::first_partial_code && code < StateCode::first_shard_code;
}

bool is_shard(unsigned code) {
    return code >= StateCode::first_shard_code && code < StateCode::first_strided_code;
}

constexpr unsigned partial_bit(ReduceOp op) {
    return 1U << static_cast<unsigned>(op);
}

/// Partials that one reduction can take together: of one operation, or sums with averages.
bool reduce_together(unsigned ops) {
    return std::has_single_bit(ops) || ops == (partial_bit(ReduceOp::sum) | partial_bit(ReduceOp::avg));
}

}  // namespace

StateSpace::StateSpace(StateCode code, StateSpaceRules rules, StateSpaceSizes sizes)
    : code_(std::move(code)), rules_(std::move(rules)), sizes_(std::move(sizes)) {
    table_bits_ = 6;
    table_.assign(std::size_t{1} << table_bits_, 0);
}

std::uint32_t StateSpace::find(PackedState state) {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = (state * 0x9E3779B97F4A7C15ULL) >> (64 - table_bits_);
    for (;; slot = (slot + 1) & mask) {
        const std::uint32_t entry = table_[slot];
        if (entry == 0) break;
        if (nodes_[entry - 1].state == state) return entry - 1;
    }
    Node node;
    node.state = state;
    for (int mesh_dim = 0; mesh_dim < code_.mesh_dims(); ++mesh_dim)
        if (StateCode::placement_of(state, mesh_dim) >= StateCode::first_shard_code)
            node.cutting = static_cast<std::uint8_t>(node.cutting | bit(mesh_dim));
    nodes_.push_back(node);
    table_[slot] = static_cast<std::uint32_t>(nodes_.size());
    if (nodes_.size() * 2 > table_.size()) grow_table();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

void StateSpace::grow_table() {
    table_bits_ += 2;
    table_.assign(std::size_t{1} << table_bits_, 0);
    const std::size_t mask = table_.size() - 1;
    for (std::size_t number = 0; number < nodes_.size(); ++number) {
        std::size_t slot = (nodes_[number].state * 0x9E3779B97F4A7C15ULL) >> (64 - table_bits_);
        while (table_[slot] != 0) slot = (slot + 1) & mask;
        table_[slot] = static_cast<std::uint32_t>(number + 1);
    }
}

std::span<const StateEdge> StateSpace::edges(std::uint32_t number) {
    if (!nodes_[number].expanded) expand(number);
    const Node& node = nodes_[number];
    return {edges_.data() + node.first_edge, node.edge_count};
}

void StateSpace::complete() {
    find(0);  // replicated on every mesh dimension: from there every state can be reached
    for (std::uint32_t number = 0; number < nodes_.size(); ++number) edges(number);
}

void StateSpace::expand(std::uint32_t number) {
    const PackedState state = nodes_[number].state;
    edges_.resize(kept_edges_);
    const Orders orders = orders_of(state);
    add_torch_edges(state, orders);
    if (rules_.merged_collectives) add_merged_edges(state, orders);
    if (rules_.permutations) add_permutations(state, orders);
    Node& node = nodes_[number];
    node.first_edge = static_cast<std::uint32_t>(kept_edges_);
    node.edge_count = static_cast<std::uint32_t>(edges_.size() - kept_edges_);
    node.expanded = kept_edges_ < kept_edges_limit;
    if (node.expanded) kept_edges_ = edges_.size();
}

void StateSpace::add(PackedState target, EdgeCost cost, unsigned mesh_dims, unsigned penalty) {
    edges_.push_back(
        {find(target), cost, static_cast<std::uint8_t>(mesh_dims), static_cast<std::uint8_t>(penalty), false});
}

StateSpace::Orders StateSpace::orders_of(PackedState state) const {
    Orders orders;
    for (int mesh_dim = 0; mesh_dim < code_.mesh_dims(); ++mesh_dim) {
        const int tensor_dim = code_.tensor_dim_of(StateCode::placement_of(state, mesh_dim));
        if (tensor_dim < 0) continue;
        const auto d = static_cast<std::size_t>(tensor_dim);
        const auto place = static_cast<std::uint8_t>(StateCode::place_of(state, mesh_dim) + 1);
        if (place > orders.count[d]) {
            orders.count[d] = place;
            orders.last[d] = static_cast<std::int8_t>(mesh_dim);
        }
    }
    return orders;
}

/// Edges 1 to 6, 9, 12 and 7 of the specification, in the sequence in which torch generates them: it decides ties.
void StateSpace::add_torch_edges(PackedState state, const Orders& orders) {
    const int mesh_dims = code_.mesh_dims(), tensor_dims = code_.tensor_dims();
    const auto last = [&](int tensor_dim) {
        return static_cast<int>(orders.last[static_cast<std::size_t>(tensor_dim)]);
    };
    const auto count = [&](int tensor_dim) {
        return static_cast<unsigned>(orders.count[static_cast<std::size_t>(tensor_dim)]);
    };
    const auto shard = [](int tensor_dim) { return StateCode::first_shard_code + static_cast<unsigned>(tensor_dim); };
    const auto ends_in_shard = [&](int tensor_dim) {
        return count(tensor_dim) > 0 && is_shard(StateCode::placement_of(state, last(tensor_dim)));
    };

    for (int from = 0; from < tensor_dims; ++from) {
        if (!ends_in_shard(from)) continue;
        for (int to = 0; to < tensor_dims; ++to)
            if (to != from)
                add(StateCode::with(state, last(from), shard(to), count(to)), EdgeCost::all_to_all, bit(last(from)));
    }
    for (int from = 0; from < tensor_dims; ++from)
        if (ends_in_shard(from))
            add(StateCode::with(state, last(from), StateCode::replicate_code), EdgeCost::all_gather, bit(last(from)));
    for (int mesh_dim = 0; mesh_dim < mesh_dims; ++mesh_dim)
        if (is_partial(StateCode::placement_of(state, mesh_dim)))
            add(StateCode::with(state, mesh_dim, StateCode::replicate_code), EdgeCost::all_reduce, bit(mesh_dim));
    for (const bool from_partial : {false, true})
        for (int mesh_dim = 0; mesh_dim < mesh_dims; ++mesh_dim) {
            const unsigned placement = StateCode::placement_of(state, mesh_dim);
            if (from_partial ? !is_partial(placement) : placement != StateCode::replicate_code) continue;
            for (int to = 0; to < tensor_dims; ++to)
                add(StateCode::with(state, mesh_dim, shard(to), count(to)),
                    from_partial ? EdgeCost::reduce_scatter : EdgeCost::free, bit(mesh_dim));
        }
    add_partial_edges(state);
    for (int from = 0; from < tensor_dims; ++from)
        if (count(from) > 0 && !ends_in_shard(from))
            add(StateCode::with(state, last(from), StateCode::replicate_code), EdgeCost::strided_all_gather,
                bit(last(from)));
    for (int mesh_dim = 0; mesh_dim < mesh_dims; ++mesh_dim) {
        if (StateCode::placement_of(state, mesh_dim) != StateCode::replicate_code) continue;
        for (const Placement& strided : rules_.strided_targets)
            add(StateCode::with(state, mesh_dim, code_.code(strided), count(strided.tensor_dim)), EdgeCost::free,
                bit(mesh_dim));
    }
    for (int from = 0; from < tensor_dims; ++from) {
        if (!ends_in_shard(from)) continue;
        add(StateCode::with(state, last(from), StateCode::first_partial_code), EdgeCost::free, bit(last(from)));
        edges_.back().into_partial_target = true;
    }
}

/// Edge 6: a replicate becomes partial where that leaves operations that torch lets stand together.
void StateSpace::add_partial_edges(PackedState state) {
    if (rules_.reduce_ops.empty()) return;
    // torch's search does not know that its executor refuses some of these steps.
    const unsigned refused_penalty = rules_.torch_only() ? 0 : foreign_step_penalty;
    unsigned present = 0;
    for (int mesh_dim = 0; mesh_dim < code_.mesh_dims(); ++mesh_dim) {
        const unsigned placement = StateCode::placement_of(state, mesh_dim);
        if (is_partial(placement)) present |= 1U << (placement - StateCode::first_partial_code);
    }
    for (int mesh_dim = 0; mesh_dim < code_.mesh_dims(); ++mesh_dim) {
        if (StateCode::placement_of(state, mesh_dim) != StateCode::replicate_code) continue;
        for (const ReduceOp op : rules_.reduce_ops)
            if (reduce_together(present | partial_bit(op)))
                add(StateCode::with(state, mesh_dim, StateCode::first_partial_code + static_cast<unsigned>(op)),
                    EdgeCost::free, bit(mesh_dim), can_be_partitioned(op) ? 0 : refused_penalty);
    }
}

/// One edge for each order in which `mesh_dims` may be appended to a tensor dimension.
void StateSpace::add_appended(PackedState base, unsigned shard, unsigned first_place, unsigned mesh_dims,
                              EdgeCost cost) {
    MeshDims order = listed(mesh_dims);
    unsigned penalty = 1;  // ascending order is the communicator's own, others move blocks
    do {
        PackedState target = base;
        for (int place = 0; place < order.count; ++place)
            target = StateCode::with(target, order.dims[static_cast<std::size_t>(place)], shard,
                                     first_place + static_cast<unsigned>(place));
        add(target, cost, mesh_dims, penalty);
        penalty = 2;
    } while (std::next_permutation(order.dims.begin(), order.dims.begin() + order.count));
}

/// Section 18 of the specification: the torch edges over two or more mesh dimensions in one collective.
void StateSpace::add_merged_edges(PackedState state, const Orders& orders) {
    const int mesh_dims = code_.mesh_dims(), tensor_dims = code_.tensor_dims();
    for (int from = 0; from < tensor_dims; ++from) {
        std::array<int, DeviceMesh::dims_limit> by_place{};
        const int count = orders.count[static_cast<std::size_t>(from)];
        for (int mesh_dim = 0; mesh_dim < mesh_dims; ++mesh_dim)
            if (code_.tensor_dim_of(StateCode::placement_of(state, mesh_dim)) == from)
                by_place[StateCode::place_of(state, mesh_dim)] = mesh_dim;
        unsigned merged = 0;
        bool ascending = true;
        PackedState gathered = state;
        for (int place = count - 1; place >= 0; --place) {
            const int mesh_dim = by_place[static_cast<std::size_t>(place)];
            if (!is_shard(StateCode::placement_of(state, mesh_dim))) break;
            ascending &= merged == 0 || merged == (merged & ~(bit(mesh_dim + 1) - 1));
            merged |= bit(mesh_dim);
            gathered = StateCode::with(gathered, mesh_dim, StateCode::replicate_code);
            if (place == count - 1) continue;
            add(gathered, EdgeCost::all_gather, merged, ascending ? 1 : 2);
            for (int to = 0; to < tensor_dims; ++to)
                if (to != from)
                    add_appended(gathered, StateCode::first_shard_code + static_cast<unsigned>(to),
                                 orders.count[static_cast<std::size_t>(to)], merged, EdgeCost::all_to_all);
        }
    }
    unsigned partial = 0;
    for (int mesh_dim = 0; mesh_dim < mesh_dims; ++mesh_dim)
        if (is_partial(StateCode::placement_of(state, mesh_dim))) partial |= bit(mesh_dim);
    // Every subset of the partial mesh dimensions, largest first.
    for (unsigned subset = partial; subset != 0; subset = (subset - 1) & partial) {
        if (std::has_single_bit(subset)) continue;
        unsigned ops = 0;
        PackedState reduced = state;
        const MeshDims dims = listed(subset);
        for (int index = 0; index < dims.count; ++index) {
            const int mesh_dim = dims.dims[static_cast<std::size_t>(index)];
            ops |= 1U << (StateCode::placement_of(state, mesh_dim) - StateCode::first_partial_code);
            reduced = StateCode::with(reduced, mesh_dim, StateCode::replicate_code);
        }
        if (!reduce_together(ops)) continue;
        add(reduced, EdgeCost::all_reduce, subset, 1);
        for (int to = 0; to < tensor_dims; ++to)
            add_appended(reduced, StateCode::first_shard_code + static_cast<unsigned>(to),
                         orders.count[static_cast<std::size_t>(to)], subset, EdgeCost::reduce_scatter);
    }
}

/// Every other order of a tensor dimension's mesh dimensions, by one exchange.
void StateSpace::add_permutations(PackedState state, const Orders& orders) {
    for (int tensor_dim = 0; tensor_dim < code_.tensor_dims(); ++tensor_dim) {
        const auto count = orders.count[static_cast<std::size_t>(tensor_dim)];
        if (count < 2) continue;
        std::vector<int> before(count), after;
        bool plain = true;
        for (int mesh_dim = 0; mesh_dim < code_.mesh_dims(); ++mesh_dim) {
            const unsigned placement = StateCode::placement_of(state, mesh_dim);
            if (code_.tensor_dim_of(placement) != tensor_dim) continue;
            before[StateCode::place_of(state, mesh_dim)] = mesh_dim;
            after.push_back(mesh_dim);
            plain &= is_shard(placement);
        }
        if (!plain) continue;
        const std::int64_t size = sizes_.tensor_shape[static_cast<std::size_t>(tensor_dim)];
        do {
            PackedState target = state;
            for (unsigned place = 0; place < count; ++place)
                target = StateCode::with(target, after[place], StateCode::placement_of(state, after[place]), place);
            if (target == state) continue;
            const unsigned group = rules_.moved_mesh_dims_suffice
                                       ? moved_mesh_dims(before, after)
                                       : exchange_group(size, before, after, sizes_.mesh_shape);
            add(target, EdgeCost::permute, group, foreign_step_penalty);
        } while (std::next_permutation(after.begin(), after.end()));
    }
}

}  // namespace overlap
