#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `reassign_collective_pgs_pass`: all-gathers leave the groups on which FSDP gathers parameters, so that
/// they no longer queue behind reduce-scatters (torchtitan/experiments/graph_trainer/fsdp_passes.py).
class ReassignCollectiveGroups : public Pass {
  public:
    /// @param old_name whether this is the pass under its former name, `overlap_fsdp_ag_rs_pass`.
    explicit ReassignCollectiveGroups(bool old_name = false) : old_name_(old_name) {}
    std::string_view name() const override {
        return old_name_ ? "overlap_fsdp_ag_rs_pass" : "reassign_collective_pgs_pass";
    }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;

  private:
    bool old_name_;
};

/// torchtitan's `isolate_ep_process_group_pass`: all-to-alls of expert parallelism leave groups that other collectives
/// use as well (torchtitan/experiments/graph_trainer/ep_process_group_pass.py).
class IsolateExpertGroup : public Pass {
  public:
    std::string_view name() const override { return "isolate_ep_process_group_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
