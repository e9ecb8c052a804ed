#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// Inductor's `deduplicate_wait_tensors` (torch/_inductor/fx_passes/bucketing.py): of several waits on one value, waits
/// on these waits included, the first stays and its result replaces theirs. The reference keeps the first that was
/// created, this the first in the graph's order: they are the same in a graph as it was traced.
class DeduplicateWaits final : public Pass {
  public:
    std::string_view name() const override { return "deduplicate_wait_tensors"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
