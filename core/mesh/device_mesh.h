#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace overlap {

/// Sizes of a mesh, of a tensor, coordinates of a rank.
using Extents = std::vector<std::int64_t>;

/// Ranks arranged as a grid (torch/distributed/device_mesh.py). A rank is the row-major index of its coordinate: the
/// last mesh dimension runs fastest.
struct DeviceMesh {
    /// Mesh dimensions that states, planners and views can hold.
    static constexpr int dims_limit = 6;

    Extents shape;                       ///< ranks along each mesh dimension
    std::vector<std::string> dim_names;  ///< one each, or none at all
    /// GPUs of one host: mesh dimensions that span more of them are priced as inter-host. 0 when no GPU is visible.
    std::int64_t devices_per_host = 8;

    int dims() const { return static_cast<int>(shape.size()); }
    std::int64_t rank_count() const;
    Extents coordinate(std::int64_t rank) const;
    /// The mesh dimension's name, or its number where the mesh has no names.
    std::string dim_name(int mesh_dim) const;

    /// @throws InputError unless there are 1 to 6 dimensions, each of at least one rank, at most 2^31 ranks in all, and
    /// as many names as dimensions or none.
    void validate() const;
};

/// The tensor that is redistributed.
struct MeshTensor {
    static constexpr int dims_limit = 32;

    Extents shape;
    std::string dtype = "float32";  ///< torch's name without `torch.`
    std::int64_t element_bytes = 4;

    int dims() const { return static_cast<int>(shape.size()); }
    std::int64_t bytes() const;

    /// @param dtype torch's name such as `bfloat16`. @throws InputError for an unknown one, and as validate().
    static MeshTensor of(Extents shape, std::string dtype);

    /// @throws InputError for negative sizes, more than 32 dimensions, or more bytes than 2^62.
    void validate() const;
};

}  // namespace overlap
