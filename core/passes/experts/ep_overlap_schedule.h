#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's pass of this name (torchtitan/experiments/graph_trainer/ep_overlap_pass.py): orders the nodes of
/// modules whose batch is halved, so that the all-to-alls of one half run while the other half computes. Of a node it
/// changes no more than the label of a wait and whether a copy of token counts blocks.
class EpOverlapSchedule final : public Pass {
  public:
    std::string_view name() const override { return "ep_overlap_schedule_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
