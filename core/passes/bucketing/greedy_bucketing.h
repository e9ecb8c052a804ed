#pragma once

#include <functional>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/bucketing/bucket_merge.h"
#include "core/passes/pass.h"

namespace overlap {

/// Which collectives greedy bucketing takes, and the size limit of one bucket.
struct GreedyBucketing {
    CollectiveKind kind = CollectiveKind::all_gather;  ///< all_gather, reduce_scatter or all_reduce
    bool several_dtypes = false;                       ///< all-gathers of different dtypes may share a bucket
    double bucket_cap_mb = 2000;                       ///< MiB of a bucket; a single larger collective is not merged
    std::function<bool(NodeId)> takes_wait;            ///< whether the collective of a wait is a candidate; empty: all
};

/// Buckets of neighbouring collectives (torch/_inductor/fx_passes/bucketing.py, `greedy_bucket_collective_by_mb`).
/// Neighbours have one bucket key and waits that follow one another; collectives that are no candidates are skipped. A
/// collective that depends on a member of the current bucket is in no bucket. Only buckets of several members count.
/// @returns starts in packing order.
/// @throws InputError where the reference raises.
std::vector<std::vector<NodeId>> greedy_buckets(const GraphEditor& graph, const GreedyBucketing& rule);

/// Merges greedy_buckets(), each behind its last member. Users of the earlier members then come before their inputs:
/// the graph needs stable_topological_sort_by_arguments().
/// @param reports receives one entry for each bucket.
/// @throws InputError where the reference raises; the graph is then half rewritten.
void bucket_greedily(GraphEditor& graph, const GreedyBucketing& rule, BucketMode mode,
                     std::vector<BucketReport>& reports);

}  // namespace overlap
