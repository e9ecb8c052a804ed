#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// PyTorch 2.15's automatic overlap: runs nodes in an order that hides collectives behind compute, then merges
/// collectives of one kind as far as nothing that is hidden becomes exposed
/// (torch/_inductor/fx_passes/overlap_scheduling.py, schedule_overlap_bucketing, and overlap_preserving_bucketer.py).
///
/// Times are the graph's `estimate_ms`, for nodes without it the analytic model of its `cost_model`, so results are
/// deterministic: torch's own estimators "benchmark" and "profile-guided" are refused.
class ScheduleOverlapBucketing final : public Pass {
  public:
    std::string_view name() const override;
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
