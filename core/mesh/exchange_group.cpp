#include "core/mesh/exchange_group.h"

#include <array>

namespace overlap {

namespace {

using Strides = std::array<std::int64_t, DeviceMesh::dims_limit>;

/// By mesh dimension: how many blocks lie between those of neighbouring ranks.
Strides block_strides(const std::vector<int>& order, const Extents& mesh_shape) {
    Strides strides{};
    std::int64_t stride = 1;
    for (std::size_t place = order.size(); place-- > 0;) {
        const auto mesh_dim = static_cast<std::size_t>(order[place]);
        strides[mesh_dim] = stride;
        stride *= mesh_shape[mesh_dim];
    }
    return strides;
}

}  // namespace

unsigned exchange_group(std::int64_t size, const std::vector<int>& before, const std::vector<int>& after,
                        const Extents& mesh_shape) {
    const auto ranks = [&](int mesh_dim) { return mesh_shape[static_cast<std::size_t>(mesh_dim)]; };
    const Strides strides_before = block_strides(before, mesh_shape), strides_after = block_strides(after, mesh_shape);
    std::int64_t blocks = 1;
    unsigned group = 0, lone = 0;
    for (const int mesh_dim : before) {
        const auto m = static_cast<std::size_t>(mesh_dim);
        blocks *= ranks(mesh_dim);
        if (strides_before[m] != strides_after[m]) (ranks(mesh_dim) > 1 ? group : lone) |= 1U << mesh_dim;
    }
    if (size % blocks == 0 || group == 0) return group == 0 ? lone : group;
    std::size_t place = 0;
    while (place < before.size() && ranks(before[place]) == ranks(after[place])) ++place;
    for (; place < before.size(); ++place) group |= 1U << before[place] | 1U << after[place];
    return group;
}

unsigned moved_mesh_dims(const std::vector<int>& before, const std::vector<int>& after) {
    unsigned moved = 0;
    for (std::size_t place = 0; place < before.size(); ++place)
        if (before[place] != after[place]) moved |= 1U << before[place];
    return moved;
}

}  // namespace overlap
