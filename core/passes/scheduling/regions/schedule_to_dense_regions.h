#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `schedule_fsdp_comms_to_dense_regions_pass`: launches of bucketed gathers and scatters move into the
/// attention of the neighbouring layer, away from token exchange (torchtitan/experiments/graph_trainer/fsdp_passes.py).
class ScheduleToDenseRegions : public Pass {
  public:
    std::string_view name() const override { return "schedule_fsdp_comms_to_dense_regions_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
