#pragma once

#include <optional>

#include "core/graph/graph.h"

namespace overlap {

/// A graph with sizes for what PyTorch gives no value: products that are fused with a collective, and what is around
/// them (fused_products.h). For figures of time and memory; passes and files have the graph without.
class FusedValues {
  public:
    explicit FusedValues(const Graph& graph);

    /// The graph that was given where nothing is added. Valid as long as both are.
    const Graph& graph() const { return made_ ? *made_ : graph_; }
    /// Whether a node returns tensors here only.
    bool adds(NodeId node) const { return made_ && graph_.outputs(node).empty() && !made_->outputs(node).empty(); }

  private:
    const Graph& graph_;
    std::optional<Graph> made_;
};

}  // namespace overlap
