#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// The ways from parameters to their uses, and from gradients to the graph's end. Computed once for a graph, in linear
/// time.
///
/// What is computed from one parameter and constants alone (casts, its gather, the wait, views) is its way; the nodes
/// that combine the way with other values are its uses.
class ParameterWays {
  public:
    explicit ParameterWays(const Graph& graph);

    /// Placeholders and get_attr nodes, in graph order: parameters, buffers and inputs.
    const std::vector<NodeId>& roots() const { return roots_; }
    /// The roots whose ways `node` is on or uses, each once: of a node on a way, its root alone.
    std::vector<NodeId> roots_of(NodeId node) const;
    /// The nodes that lead to the gradient of `root` and to nothing else, from the end backward: the wait, the
    /// reduction, casts, and the compute that they come from. Empty where it is unknown which of the graph's outputs is
    /// the gradient (see gradients()).
    std::vector<NodeId> gradient_way(NodeId root) const;

  private:
    static constexpr NodeId of_several = no_node - 1;

    /// Finds for each placeholder the output that is its gradient. torch's joint graphs return what the forward returns
    /// and then one value for each input, in the order of inputs: the one place where all tensors have the sizes of
    /// their inputs decides. Nothing where none or several fit.
    void find_gradients();

    const Graph& graph_;
    std::vector<NodeId> roots_;
    std::vector<NodeId> root_of_;      ///< the one root that a node is computed from; no_node for none; of_several
    std::vector<NodeId> gradient_of_;  ///< by placeholder: the output; no_node where it has none
};

}  // namespace overlap
