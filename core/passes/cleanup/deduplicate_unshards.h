#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `deduplicate_fsdp_unshard_chains_pass`: a parameter that is gathered several times is gathered once
/// (torchtitan/experiments/graph_trainer/fsdp_passes.py, fsdp_patterns.py).
class DeduplicateUnshards : public Pass {
  public:
    std::string_view name() const override { return "deduplicate_fsdp_unshard_chains_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
