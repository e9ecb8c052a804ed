#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// Inductor's `dedup_fsdp_reduce_scatter` (torch/_inductor/fx_passes/fsdp.py): two reduce-scatters whose results are
/// added become one of the sum of their inputs, again and again, so that a tree of sums becomes one reduce-scatter.
class DedupReduceScatter final : public Pass {
  public:
    std::string_view name() const override { return "dedup_fsdp_reduce_scatter"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
