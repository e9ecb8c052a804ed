#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/bucketing/bucket_keys.h"
#include "core/passes/bucketing/traced_sequence.h"

namespace overlap {

/// How merged tensors are packed and unpacked; the names are those of the reference's option `bucket_mode`.
enum class BucketMode : std::uint8_t {
    custom_ops,   ///< custom operators; `custom_ops_multidtype` is the same once members share a dtype
    concatenate,  ///< `default`, and any name that the reference does not know
    coalesced,    ///< reduce-scatters in one coalesced launch; gathers as `default`
};

/// Where a bucket's nodes are inserted.
struct MergePlace {
    NodeId before;       ///< the merged collective and what packs its input are made before this node
    NodeId wait_before;  ///< the wait and what unpacks its output are made before this one
};

/// The result of merging a bucket.
struct MergedBucket {
    std::vector<NodeId> nodes;  ///< new nodes in the order of the trace
    NodeId start = no_node;
    std::vector<NodeId> waits;
    /// For each member, in packing order, its wait and the node that replaces it. The waits are erased.
    std::vector<std::pair<NodeId, NodeId>> replacements;
};

/// The tensor input of a start as the merged collective takes it: for an all-gather whose input is a dtype conversion
/// with no other user, what is converted (`has_mergeable_all_gather_convert_dtype`).
NodeId merged_input(const GraphEditor& graph, NodeId start);

/// Replaces a bucket of all-gathers, reduce-scatters or all-reduces of one key by one collective
/// (torch/_inductor/fx_passes/bucketing.py, merge_all_gather_bucket and its siblings).
/// @param starts members in packing order.
/// @throws InputError where the reference raises or the result would need shapes that are not known.
MergedBucket merge_bucket(GraphEditor& graph, std::span<const NodeId> starts, BucketMode mode, const MergePlace& place);

}  // namespace overlap
