#include "core/mesh/shard_layout.h"

#include <algorithm>

namespace overlap {

namespace {

/// Appends what lies in [begin, end) of the concatenation of `part`'s ranges.
void append_slice(const DimensionPart& part, IndexRange slice, DimensionPart& out) {
    std::int64_t start = 0;
    for (const IndexRange& range : part) {
        const std::int64_t begin = std::max(slice.begin, start), end = std::min(slice.end, start + range.size());
        if (begin < end) out.push_back({range.begin + begin - start, range.begin + end - start});
        start += range.size();
    }
}

/// An empty part keeps the place where it would begin, which layouts show.
DimensionPart slice_of(const DimensionPart& part, const std::vector<IndexRange>& slices) {
    DimensionPart result;
    for (const IndexRange& slice : slices) append_slice(part, slice, result);
    if (result.empty()) {
        const std::int64_t at =
            part.size() == 1 && !slices.empty() ? part.front().begin + slices.front().begin : part.back().end;
        result.push_back({at, at});
    }
    return result;
}

DimensionPart cut(const DimensionPart& part, const Placement& placement, std::int64_t count, std::int64_t index) {
    const IndexRange whole{0, size_of(part)};
    if (placement.is_shard()) return slice_of(part, {chunk_of(whole, count, index)});
    std::vector<IndexRange> slices;
    for (std::int64_t split = 0; split < placement.split_factor; ++split) {
        const IndexRange group = chunk_of(whole, placement.split_factor, split);
        if (group.size() == 0) break;
        slices.push_back(chunk_of(group, count, index));
    }
    return slice_of(part, slices);
}

}  // namespace

std::int64_t size_of(const DimensionPart& part) {
    std::int64_t size = 0;
    for (const IndexRange& range : part) size += range.size();
    return size;
}

IndexRange chunk_of(IndexRange range, std::int64_t count, std::int64_t index) {
    const std::int64_t size = range.size(), chunk = size / count + (size % count != 0);
    return {range.begin + std::min(chunk * index, size), range.begin + std::min(chunk * (index + 1), size)};
}

std::vector<DimensionPart> local_parts(const ShardingState& state, const DeviceMesh& mesh, const Extents& tensor_shape,
                                       const Extents& coordinate) {
    std::vector<DimensionPart> parts;
    parts.reserve(tensor_shape.size());
    for (const std::int64_t size : tensor_shape) parts.push_back({{0, size}});
    for (const ShardOrderEntry& entry : state.shard_order) {
        DimensionPart& part = parts[static_cast<std::size_t>(entry.tensor_dim)];
        for (const int mesh_dim : entry.mesh_dims) {
            const auto m = static_cast<std::size_t>(mesh_dim);
            part = cut(part, state.placements[m], mesh.shape[m], coordinate[m]);
        }
    }
    return parts;
}

Extents local_shape(const ShardingState& state, const DeviceMesh& mesh, const Extents& tensor_shape,
                    const Extents& coordinate) {
    return shape_without(state, mesh, tensor_shape, 0, coordinate);
}

Extents logical_shape(const ShardingState& state, const DeviceMesh& mesh, const Extents& tensor_shape, int mesh_dim,
                      const Extents& coordinate) {
    return shape_without(state, mesh, tensor_shape, 1U << mesh_dim, coordinate);
}

Extents shape_without(const ShardingState& state, const DeviceMesh& mesh, const Extents& tensor_shape,
                      unsigned mesh_dims, const Extents& coordinate) {
    Extents shape = tensor_shape;
    for (const ShardOrderEntry& entry : state.shard_order)
        for (const int cutting : entry.mesh_dims) {
            if ((mesh_dims >> cutting & 1U) != 0) continue;
            const auto m = static_cast<std::size_t>(cutting);
            std::int64_t& size = shape[static_cast<std::size_t>(entry.tensor_dim)];
            const Placement& placement = state.placements[m];
            size = placement.is_shard() ? chunk_of({0, size}, mesh.shape[m], coordinate[m]).size()
                                        : size_of(cut({{0, size}}, placement, mesh.shape[m], coordinate[m]));
        }
    return shape;
}

}  // namespace overlap
