#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/mesh/nccl/nccl_cost_model.h"
#include "core/mesh/planners/torch_planners.h"

namespace overlap {

/// A query: which steps lead from one state to another?
struct RedistributionCase {
    std::string id;
    DeviceMesh mesh;
    MeshTensor tensor;
    ShardingState source, target;
    StridedShards strided_shards = StridedShards::are_placements;
};

/// A query: which part does every rank hold?
struct LayoutCase {
    std::string id;
    DeviceMesh mesh;
    Extents tensor_shape;
    ShardingState state;
};

/// A query: which strided shards encode this order, or which order do these strided shards encode?
struct StridedOrderCase {
    std::string id;  ///< may be empty
    DeviceMesh mesh;
    std::optional<ShardingState> state;  ///< to be encoded; without it `strided` is to be decoded
    std::vector<Placement> strided;
};

/// A query: what does a collective over one mesh dimension cost by the NCCL model?
struct NcclCase {
    std::string id;
    std::string config;
    Extents mesh_shape;
    int mesh_dim = 0;
    CollectiveKind collective = CollectiveKind::none;
    std::vector<std::int64_t> bytes;
};

using MeshCase = std::variant<RedistributionCase, LayoutCase, StridedOrderCase, NcclCase>;

/// Reads a document of cases (docs/formats.md, `overlap redistribute`), plain or gzip. The description of mesh and
/// tensor may be in the header or in a case, which takes precedence. A state is an object of placements and, where it
/// is not the default one, shard_order; or its text in either notation.
///
/// A case is recognised by its fields: `src` and `dst`, `state`, `strided` or `shard_order`, `collective`.
/// Fields that are results (`plans`, costs) are not read.
/// @throws InputError with file and place.
std::vector<MeshCase> read_redistribution_cases(const std::string& path);
std::vector<MeshCase> read_redistribution_cases_text(std::string_view text, const std::string& name);

}  // namespace overlap
