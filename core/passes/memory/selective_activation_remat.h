#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `selective_activation_remat_pass`: what is tagged for it is computed again before its first use in the
/// backward pass, and no longer kept (torchtitan/experiments/graph_trainer/selective_activation_remat.py).
///
/// Problems: a note `memory_tags` with what is computed again; a note `users_order_open` where a node has several users
/// that the reference registers again in the order of a Python set, which here are in the order of the nodes; a caution
/// `reload_awaited_at_once` for copies from the host that come to stand directly before what awaits them.
class SelectiveActivationRemat : public Pass {
  public:
    std::string_view name() const override { return "selective_activation_remat_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
