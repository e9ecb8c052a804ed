#include "core/mesh/device_mesh.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/base/wording.h"
#include "core/graph/tensor.h"

namespace overlap {

namespace {

/// The product of `factors`, or -1 when it passes `limit`.
std::int64_t product_within(const Extents& factors, std::int64_t first, std::int64_t limit) {
    std::int64_t product = first;
    for (const std::int64_t factor : factors) {
        if (factor == 0) return 0;
        if (product > limit / factor) return -1;
        product *= factor;
    }
    return product;
}

}  // namespace

std::int64_t DeviceMesh::rank_count() const {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    return count;
}

Extents DeviceMesh::coordinate(std::int64_t rank) const {
    Extents coordinate(shape.size());
    for (std::size_t dim = shape.size(); dim-- > 0;) {
        coordinate[dim] = rank % shape[dim];
        rank /= shape[dim];
    }
    return coordinate;
}

std::string DeviceMesh::dim_name(int mesh_dim) const {
    return dim_names.empty() ? std::to_string(mesh_dim) : dim_names[static_cast<std::size_t>(mesh_dim)];
}

void DeviceMesh::validate() const {
    constexpr std::int64_t rank_limit = std::int64_t{1} << 31;
    if (shape.empty() || dims() > dims_limit)
        throw InputError("mesh", "a mesh has 1 to " + std::to_string(dims_limit) + " dimensions, this one has " +
                                     std::to_string(shape.size()));
    for (const std::int64_t size : shape)
        if (size < 1)
            throw InputError("mesh", "every mesh dimension holds at least one rank, found " + grouped_count(size));
    if (product_within(shape, 1, rank_limit) < 0) throw InputError("mesh", "a mesh holds at most 2^31 ranks");
    if (!dim_names.empty() && dim_names.size() != shape.size())
        throw InputError("mesh", counted(dim_names.size(), "name") + " for " + counted(shape.size(), "mesh dimension"));
    for (std::size_t dim = 1; dim < dim_names.size(); ++dim)
        if (std::find(dim_names.begin(), dim_names.begin() + static_cast<std::ptrdiff_t>(dim), dim_names[dim]) !=
            dim_names.begin() + static_cast<std::ptrdiff_t>(dim))
            throw InputError("mesh", "two mesh dimensions are called \"" + dim_names[dim] + "\"");
    if (devices_per_host < 0)
        throw InputError("mesh", "devices of a host are at least 0, found " + grouped_count(devices_per_host));
}

std::int64_t MeshTensor::bytes() const {
    std::int64_t bytes = element_bytes;
    for (const std::int64_t size : shape) bytes *= size;
    return bytes;
}

MeshTensor MeshTensor::of(Extents shape, std::string dtype) {
    const std::optional<Dtype> known = dtype_by_name(dtype);
    if (!known) throw InputError("tensor", "torch has no dtype \"" + dtype + "\"");
    MeshTensor tensor{std::move(shape), std::move(dtype), dtype_info(*known).bytes};
    tensor.validate();
    return tensor;
}

void MeshTensor::validate() const {
    if (dims() > dims_limit)
        throw InputError("tensor", "a tensor has at most " + std::to_string(dims_limit) + " dimensions, this one has " +
                                       std::to_string(shape.size()));
    for (const std::int64_t size : shape)
        if (size < 0) throw InputError("tensor", "a size is at least 0, found " + grouped_count(size));
    if (element_bytes < 1)
        throw InputError("tensor", "an element has at least one byte, found " + grouped_count(element_bytes));
    if (product_within(shape, element_bytes, std::int64_t{1} << 62) < 0)
        throw InputError("tensor", "it is larger than 2^62 bytes");
}

}  // namespace overlap
