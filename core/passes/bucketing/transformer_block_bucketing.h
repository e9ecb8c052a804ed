#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's bucketing of joint forward and backward graphs: as manual_overlap_bucketing, but each entry is bucketed
/// once for either direction, gathers are prefetched within their direction, and members are packed in the order of the
/// job's parameters (torchtitan graph_trainer/fsdp_passes.py).
class JointTransformerBlockBucketing final : public Pass {
  public:
    std::string_view name() const override { return "joint_transformer_block_bucketing_reordering_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

/// torchtitan's name for manual_overlap_bucketing on separate forward and backward graphs, with its own option for the
/// plan.
class TransformerBlockBucketing final : public Pass {
  public:
    std::string_view name() const override { return "transformer_block_bucketing_reordering_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
