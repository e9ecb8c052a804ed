#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's pass of this name (torchtitan/experiments/graph_trainer/ep_eager_chunk.py): what a model that halves
/// the batch itself writes into `custom` of its nodes becomes metadata of chunks, in `titan_meta`. Nodes stay as they
/// are.
class PopulateEagerChunkMetadata final : public Pass {
  public:
    std::string_view name() const override { return "populate_eager_chunk_metadata_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
