#pragma once

#include <span>

#include "core/graph/graph.h"

namespace overlap {

/// Compares nodes of two graphs, inputs by what they were before. Graphs of which one was made from the other share
/// their text, so that most comparisons end at an address.
class NodeComparison {
  public:
    /// @param origin for each node of `after` the node of `before` that it is, or no_node.
    NodeComparison(const Graph& before, const Graph& after, std::span<const NodeId> origin)
        : before_(before), after_(after), origin_(origin) {}

    /// Whether two nodes call the same operator with the same arguments.
    bool same_call(NodeId was, NodeId is) const;
    /// Whether a document has them alike as well: names, of inputs too, types, sizes and strides of what they return,
    /// modules and direction.
    bool same_node(NodeId was, NodeId is) const;

  private:
    bool same(const Value& was, const Value& is) const;
    bool same_outputs(NodeId was, NodeId is) const;
    bool same_modules(ModuleStackId was, ModuleStackId is) const;

    const Graph& before_;
    const Graph& after_;
    std::span<const NodeId> origin_;
};

}  // namespace overlap
