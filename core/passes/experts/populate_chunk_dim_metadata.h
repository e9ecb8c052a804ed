#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `populate_chunk_dim_metadata_pass`: notes at the placeholders along which symbol modules may be halved,
/// and its whole extent (torchtitan/experiments/graph_trainer/ep_chunk_pass.py). Nothing else changes.
///
/// Refused where no placeholder has a symbol in its first dimension: the job was not traced with `ep_overlap.enabled`.
class PopulateChunkDimMetadata : public Pass {
  public:
    std::string_view name() const override { return "populate_chunk_dim_metadata_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
