#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// The sort that Inductor runs after its stand-alone bucketing passes and at the beginning of overlap scheduling
/// (torch/_inductor/pattern_matcher.py, `stable_topological_sort`).
class StableTopologicalSort final : public Pass {
  public:
    std::string_view name() const override { return "stable_topological_sort"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
