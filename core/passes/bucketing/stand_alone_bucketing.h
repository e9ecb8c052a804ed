#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// Inductor's stand-alone bucketing of one kind of collective: neighbours of one key are merged up to a size, without
/// regard to overlap (torch/_inductor/fx_passes/bucketing.py, `bucket_all_gather`, `bucket_reduce_scatter`,
/// `bucket_all_reduce`). The result is that of the function alone: users of a bucket's earlier members come before it
/// until `stable_topological_sort`, which Inductor runs after the last of these passes.
class StandAloneBucketing final : public Pass {
  public:
    /// @param kind all_gather, reduce_scatter or all_reduce.
    explicit StandAloneBucketing(CollectiveKind kind) : kind_(kind) {}

    std::string_view name() const override;
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;

  private:
    CollectiveKind kind_;
};

}  // namespace overlap
