#include "tests/mesh/sharded_numbers.h"

#include "core/mesh/sharding_text.h"

namespace overlap::test {

namespace {

/// A number that depends on all bits of `seed` (the finalizer of MurmurHash3).
std::uint64_t scramble(std::uint64_t seed) {
    seed = (seed ^ (seed >> 33)) * 0xff51afd7ed558ccdULL;
    seed = (seed ^ (seed >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return seed ^ (seed >> 33);
}

std::int64_t small_random(std::uint64_t seed, std::int64_t index) {
    return static_cast<std::int64_t>(scramble(seed + 977 * static_cast<std::uint64_t>(index)) & 1023);
}

/// Value `index` of `count` that `reduce_op` makes `value` of.
std::int64_t share_of(std::int64_t value, ReduceOp reduce_op, std::int64_t count, std::int64_t index,
                      std::int64_t multiple_of, std::uint64_t seed) {
    const std::int64_t random = small_random(seed, index);
    const bool holds_the_value = static_cast<std::int64_t>(scramble(seed) % static_cast<std::uint64_t>(count)) == index;
    std::int64_t others_sum = 0, others_bits = 0;
    for (std::int64_t other = 1; other < count; ++other) {
        others_sum += multiple_of * small_random(seed, other);
        others_bits ^= small_random(seed, other);
    }
    switch (reduce_op) {
        case ReduceOp::sum:
            return index == 0 ? value - others_sum : multiple_of * random;
        case ReduceOp::avg:
            return value + (index == 0 ? -others_sum : multiple_of * random);
        case ReduceOp::min:
            return holds_the_value ? value : value + multiple_of * (1 + random);
        case ReduceOp::max:
            return holds_the_value ? value : value - multiple_of * (1 + random);
        case ReduceOp::product:
            return holds_the_value ? value : 1;
        case ReduceOp::band:
            return holds_the_value ? value : value | random;
        case ReduceOp::bor:
            return holds_the_value ? value : value & random;
        case ReduceOp::bxor:
            return index == 0 ? value ^ others_bits : random;
    }
    return value;
}

LocalTensor reduce_over(const ShardingState& state, const DeviceMesh& mesh, const std::vector<LocalTensor>& locals,
                        std::int64_t rank, std::size_t mesh_dim) {
    while (mesh_dim < state.placements.size() && !state.placements[mesh_dim].is_partial()) ++mesh_dim;
    if (mesh_dim == state.placements.size()) return locals[static_cast<std::size_t>(rank)];
    std::vector<LocalTensor> values;
    std::vector<const LocalTensor*> pointers;
    for (const std::int64_t other : group_of(mesh, rank, {static_cast<int>(mesh_dim)}))
        values.push_back(reduce_over(state, mesh, locals, other, mesh_dim + 1));
    for (const LocalTensor& value : values) pointers.push_back(&value);
    return reduce(pointers, state.placements[mesh_dim].reduce_op);
}

}  // namespace

std::vector<std::int64_t> group_of(const DeviceMesh& mesh, std::int64_t rank, const std::vector<int>& mesh_dims) {
    Extents strides(mesh.shape.size(), 1);
    for (std::size_t at = strides.size() - 1; at > 0; --at) strides[at - 1] = strides[at] * mesh.shape[at];
    std::int64_t leader = rank;
    for (const int mesh_dim : mesh_dims) {
        const auto at = static_cast<std::size_t>(mesh_dim);
        leader -= rank / strides[at] % mesh.shape[at] * strides[at];
    }
    std::vector<std::int64_t> ranks{leader};
    for (const int mesh_dim : mesh_dims) {
        const auto at = static_cast<std::size_t>(mesh_dim);
        std::vector<std::int64_t> longer;
        for (const std::int64_t start : ranks)
            for (std::int64_t index = 0; index < mesh.shape[at]; ++index) longer.push_back(start + index * strides[at]);
        ranks = std::move(longer);
    }
    return ranks;
}

ShardedNumbers::ShardedNumbers(const DeviceMesh& mesh, const Extents& tensor_shape)
    : mesh_(mesh), whole_{tensor_shape, {}} {
    for (std::int64_t index = 0; index < element_count(tensor_shape); ++index)
        whole_.values.push_back((index + 1) * mesh.rank_count());
}

LocalTensor ShardedNumbers::slice(const ShardingState& state, const LocalTensor& tensor, std::int64_t rank) const {
    const std::vector<DimensionPart> parts = local_parts(state, mesh_, whole_.shape, mesh_.coordinate(rank));
    LocalTensor result = tensor;
    for (std::size_t dim = 0; dim < parts.size(); ++dim) result = take(result, static_cast<int>(dim), parts[dim]);
    return result;
}

LocalTensor ShardedNumbers::partial_values(const ShardingState& state, std::int64_t rank) const {
    const Extents coordinate = mesh_.coordinate(rank);
    LocalTensor tensor = whole_;
    for (std::size_t element = 0; element < tensor.values.size(); ++element) {
        // Ranks that differ only in replicated or cut dimensions must draw the same numbers.
        std::uint64_t seed = scramble(element + 1);
        for (std::size_t at = 0; at < state.placements.size(); ++at) {
            if (!state.placements[at].is_partial()) continue;
            std::int64_t& value = tensor.values[element];
            value = share_of(value, state.placements[at].reduce_op, mesh_.shape[at], coordinate[at], mesh_.rank_count(),
                             seed);
            seed = scramble(seed + static_cast<std::uint64_t>(coordinate[at]) + 1);
        }
    }
    return tensor;
}

std::vector<LocalTensor> ShardedNumbers::distribute(const ShardingState& state) const {
    std::vector<LocalTensor> locals;
    for (std::int64_t rank = 0; rank < mesh_.rank_count(); ++rank)
        locals.push_back(slice(state, partial_values(state, rank), rank));
    return locals;
}

std::string ShardedNumbers::first_wrong_rank(const ShardingState& state, const std::vector<LocalTensor>& locals) const {
    std::vector<int> partial_dims;
    for (std::size_t at = 0; at < state.placements.size(); ++at)
        if (state.placements[at].is_partial()) partial_dims.push_back(static_cast<int>(at));
    for (std::int64_t rank = 0; rank < mesh_.rank_count(); ++rank) {
        const std::string held_by = "rank " + std::to_string(rank) + " in " + to_text(state);
        if (locals[static_cast<std::size_t>(rank)].shape !=
            local_shape(state, mesh_, whole_.shape, mesh_.coordinate(rank)))
            return held_by + " holds another shape";
        // Ranks that hold values of the same reduction answer for them together.
        if (group_of(mesh_, rank, partial_dims).front() == rank &&
            reduce_over(state, mesh_, locals, rank, 0) != slice(state, whole_, rank))
            return held_by + " holds other numbers";
    }
    return {};
}

}  // namespace overlap::test
