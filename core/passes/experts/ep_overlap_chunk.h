#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `ep_overlap_chunk_pass`: modules with experts are computed for one half of the batch and for the other,
/// so that one half's all-to-all can run beside the other half's work
/// (torchtitan/experiments/graph_trainer/ep_chunk_pass.py).
///
/// Refused where torchtitan raises, and for what no graph shows: scalars and arguments of the halved size that no node
/// computes, gradients joined before views that only pass them on.
class EpOverlapChunk : public Pass {
  public:
    std::string_view name() const override { return "ep_overlap_chunk_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
