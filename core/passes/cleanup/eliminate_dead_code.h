#pragma once

#include <functional>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's `eliminate_dead_code_pass`: torch.fx's dead-code elimination, except that asynchronous assertions are
/// removed as well (torchtitan/experiments/graph_trainer/remove_noop_passes.py).
class EliminateDeadCode : public Pass {
  public:
    std::string_view name() const override { return "eliminate_dead_code_pass"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override { return {}; }
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

/// torch.fx's `Graph.eliminate_dead_code` with its own purity rule: from the end, erases nodes that are unused and have
/// no side effects.
/// @param may_drop nodes that count as free of side effects whatever they do.
/// @throws PassRefusal when an unused node may or may not have side effects, or when the graph is out of order.
void erase_dead_code(GraphEditor& editor, std::string_view pass, const std::function<bool(NodeId)>& may_drop);

}  // namespace overlap
