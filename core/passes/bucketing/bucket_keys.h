#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/graph/editing/graph_editor.h"

namespace overlap {

// Both kinds of graph support the same queries: Graph and GraphEditor.

/// A member does not fit its bucket, or no bucket at all.
/// @throws InputError naming the node.
template <typename AnyGraph>
[[noreturn]] void refuse_member(const AnyGraph& graph, NodeId start, const std::string& reason);

/// Name of the group of a collective that has positional arguments only.
/// @throws InputError when the argument is a node or absent.
template <typename AnyGraph>
std::string_view group_of(const AnyGraph& graph, NodeId start);

/// all_gather, reduce_scatter or all_reduce for a call of exactly the operators that torch buckets; none for every
/// other node, other forms of these collectives included (torch/_inductor/fx_passes/bucketing.py,
/// `is_all_gather_into_tensor` and its siblings).
template <typename AnyGraph>
CollectiveKind bucketable_kind(const AnyGraph& graph, NodeId node);

/// What collectives must share to be in one bucket. Group size, device and shape are not part of it: where they
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
template <typename AnyGraph>
BucketKey bucket_key(const AnyGraph& graph, NodeId start, bool several_dtypes = false);

/// Bytes of the tensors that a node returns, whatever their strides.
std::int64_t output_bytes(const GraphEditor& graph, NodeId node);

}  // namespace overlap
