#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/graph/graph_editor.h"

namespace overlap {

/// all_gather, reduce_scatter or all_reduce for a call of exactly the operators that torch buckets; none for every
/// other node, other forms of these collectives included (torch/_inductor/fx_passes/bucketing.py,
/// `is_all_gather_into_tensor` and its siblings).
CollectiveKind bucketable_kind(const GraphEditor& graph, NodeId node);

/// What collectives must share to go into one bucket. Group size, device and shape are not part of it: where they
/// differ, merging raises. Texts live as long as the graph's.
struct BucketKey {
    CollectiveKind kind = CollectiveKind::none;
    std::string_view process_group;
    std::string_view reduction;  ///< such as "sum"; empty for all-gathers
    std::optional<Dtype> dtype;  ///< of the result; nothing for all-gathers where several dtypes share a bucket

    bool operator==(const BucketKey&) const = default;
};

/// The key of a bucketable collective (`bucket_key`).
/// @param several_dtypes whether all-gathers of different dtypes may share a bucket (a mode with `multidtype`).
/// @pre bucketable_kind() is not none.
/// @throws InputError where the reference raises, or where the process group is not a name.
BucketKey bucket_key(const GraphEditor& graph, NodeId start, bool several_dtypes = false);

/// Bytes that a collective takes and returns: each mention of a tensor in its arguments but the keyword `out`, and its
/// results; 0 when it takes or returns no tensor (torch/_inductor/comm_analysis.py, `estimate_fx_collective_size`).
std::int64_t collective_transfer_bytes(const GraphEditor& graph, NodeId start);

/// What the overlap scheduler counts for a collective in flight: the above, halved for all-reduces
/// (`estimate_fx_collective_memory_footprint`).
std::int64_t collective_footprint_bytes(const GraphEditor& graph, NodeId start);

/// Bytes of the tensors that a node returns, whatever their strides.
std::int64_t output_bytes(const GraphEditor& graph, NodeId node);

}  // namespace overlap
