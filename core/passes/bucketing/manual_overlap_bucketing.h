#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// PyTorch 2.15's manual bucketing: merges the FSDP collectives of each entry of `module_bucket_plans`, prefetches
/// gathers over the entry before and delays reductions behind the next one
/// (torch/_inductor/fx_passes/overlap_manual_scheduling.py, manual_overlap_bucketing).
///
/// Works on forward, backward and joint graphs, in all bucket modes. It refuses graphs where a bucket returns a tensor
/// with other strides and a later operator lays out its result by them in a way that is not known
/// (core/passes/bucketing/layout_repair.h).
class ManualOverlapBucketing final : public Pass {
  public:
    std::string_view name() const override;
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
