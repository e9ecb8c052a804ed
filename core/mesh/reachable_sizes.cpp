#include "core/mesh/reachable_sizes.h"

#include <algorithm>

#include "core/mesh/shard_layout.h"

namespace overlap {

namespace {

/// The parts of `range` cut by `mesh_dims` from `first` on are compared with what is left of the flat chunks, whose
/// size is `flat`. Ranges of whole flat chunks need no closer look.
bool parts_are_flat(IndexRange range, std::size_t first, std::int64_t first_part, std::int64_t whole, std::int64_t flat,
                    const std::vector<int>& mesh_dims, const DeviceMesh& mesh) {
    if (first == mesh_dims.size()) {
        const IndexRange expected{std::min(first_part * flat, whole), std::min((first_part + 1) * flat, whole)};
        return range.size() == 0 ? expected.size() == 0 : range == expected;
    }
    std::int64_t inner = 1;
    for (std::size_t dim = first; dim < mesh_dims.size(); ++dim)
        inner *= mesh.shape[static_cast<std::size_t>(mesh_dims[dim])];
    // A range of exactly the chunks of its ranks, or an empty one behind the end, cuts as it should.
    if (range.begin == first_part * flat && range.size() == inner * flat) return true;
    if (range.size() == 0) return first_part * flat >= whole;
    const std::int64_t count = mesh.shape[static_cast<std::size_t>(mesh_dims[first])];
    for (std::int64_t part = 0; part < count; ++part)
        if (!parts_are_flat(chunk_of(range, count, part), first + 1, first_part + part * (inner / count), whole, flat,
                            mesh_dims, mesh))
            return false;
    return true;
}

}  // namespace

std::vector<std::int64_t> reachable_sizes(std::int64_t size, const std::vector<int>& mesh_dims,
                                          const DeviceMesh& mesh) {
    std::vector<std::int64_t> sizes{size};
    for (const int mesh_dim : mesh_dims) {
        const std::int64_t count = mesh.shape[static_cast<std::size_t>(mesh_dim)];
        std::vector<std::int64_t> cut;
        for (const std::int64_t whole : sizes) {
            // All parts but a shorter one and empty ones behind it are full.
            const std::int64_t chunk = whole / count + (whole % count != 0);
            const std::int64_t full = chunk == 0 ? 0 : std::min(count, whole / chunk);
            if (full > 0) cut.push_back(chunk);
            if (full < count) cut.push_back(whole - full * chunk);
            if (full + 1 < count) cut.push_back(0);
        }
        std::sort(cut.begin(), cut.end());
        cut.erase(std::unique(cut.begin(), cut.end()), cut.end());
        sizes = std::move(cut);
    }
    return sizes;
}

std::int64_t ranks_of(const std::vector<int>& mesh_dims, const DeviceMesh& mesh) {
    std::int64_t ranks = 1;
    for (const int mesh_dim : mesh_dims) ranks *= mesh.shape[static_cast<std::size_t>(mesh_dim)];
    return ranks;
}

bool nested_parts_are_flat(std::int64_t size, const std::vector<int>& mesh_dims, const DeviceMesh& mesh) {
    const std::int64_t ranks = ranks_of(mesh_dims, mesh);
    if (size % ranks == 0) return true;
    const std::int64_t flat = size / ranks + 1;
    return parts_are_flat({0, size}, 0, 0, size, flat, mesh_dims, mesh);
}

}  // namespace overlap
