#pragma once

#include <optional>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/bucketing/bucket_merge.h"
#include "core/passes/pass.h"

namespace overlap {

/// How FSDP's collectives are merged before the overlap scheduler runs.
struct FsdpPreBucketing {
    BucketMode mode = BucketMode::concatenate;
    /// MiB of a bucket; nothing: what saturates the network, see saturating_bucket_cap_mb().
    std::optional<double> bucket_cap_mb;
};

/// MiB of a bucket that reach 90 % of the bandwidth among so many ranks, between 10 and 500
/// (torch/_inductor/fx_passes/fsdp.py, `compute_pre_bucket_cap_mb`). As the reference computes it on a machine without
/// a GPU: NVLink of an A100 among up to 8 ranks, HDR InfiniBand among more.
double saturating_bucket_cap_mb(std::int64_t group_size);

/// Merges FSDP's all-gathers (one placeholder each), reduce-scatters (results that are only outputs of the graph) and
/// all-reduces (on a group that has such an all-gather) into greedy buckets (`pre_bucket_fsdp_collectives`). A graph
/// without an FSDP all-gather is unchanged. The result may need stable_topological_sort_by_arguments().
/// @param reports receives one entry for each bucket.
/// @throws InputError where the reference raises; the graph is then half rewritten.
void pre_bucket_fsdp_collectives(GraphEditor& graph, const FsdpPreBucketing& settings,
                                 std::vector<BucketReport>& reports);

/// The same as a separate pass.
class PreBucketFsdpCollectives final : public Pass {
  public:
    std::string_view name() const override { return "pre_bucket_fsdp_collectives"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
