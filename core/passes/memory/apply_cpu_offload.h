#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `apply_cpu_offload_pass`: tensors tagged MUST_CPU_OFFLOAD are copied to the host in the forward pass
/// and back in the backward pass (torchtitan/experiments/graph_trainer/cpu_offload.py).
///
/// Refused where the graph would not be in order, for which torch.fx raises a RuntimeError: with defer_n_layers 0
/// wherever a tensor is used again in the forward pass, and where the last such use returns several values that only
/// the backward pass takes.
class ApplyCpuOffload : public Pass {
  public:
    std::string_view name() const override { return "apply_cpu_offload_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
