#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// Inductor's pass of this name (torch/_inductor/fx_passes/micro_pipeline_tp.py): all-gathers are fused with the matrix
/// products that read them, and matrix products with the reduce-scatters behind them. Symmetric memory counts as
/// enabled for every process group, as torchtitan enables it.
class MicroPipelineTp final : public Pass {
  public:
    std::string_view name() const override { return "micro_pipeline_tp_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
