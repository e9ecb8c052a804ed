#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `canonicalize_graph_pass`: five clean-ups one after the other
/// (torchtitan/experiments/graph_trainer/remove_noop_passes.py).
class CanonicalizeGraph : public Pass {
  public:
    std::string_view name() const override { return "canonicalize_graph_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
