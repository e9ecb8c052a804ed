#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `tag_with_memory_policy_pass`: what of the forward pass is saved, computed again or offloaded, as tags
/// of nodes that later passes obey (torchtitan/experiments/graph_trainer/memory_policy.py, cpu_offload.py,
/// fsdp_patterns.py). The nodes stay as they are.
///
/// Reports a note `memory_tags` with what was decided.
class TagWithMemoryPolicy : public Pass {
  public:
    std::string_view name() const override { return "tag_with_memory_policy_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
