#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `concretize_ep_chunk_symbolic_shapes_pass`: sizes, arguments and scalars that follow the halved batch
/// become numbers again, and the nodes that only computed them go
/// (torchtitan/experiments/graph_trainer/ep_pass_utils.py). Nothing happens where no module was to be halved by a pass.
class ConcretizeChunkShapes : public Pass {
  public:
    std::string_view name() const override { return "concretize_ep_chunk_symbolic_shapes_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
