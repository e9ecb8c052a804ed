#pragma once

#include <vector>

#include "core/graph/editing/graph_editor.h"

namespace overlap {

/// Which placeholder a node derives from. torch takes an all-gather for FSDP's when exactly one placeholder is among
/// its transitive inputs (torch/_inductor/fx_passes/fsdp.py, `is_fsdp_all_gather`). Each node is visited once, whatever
/// the number of queries; the graph must not change meanwhile. Its order does not matter.
class PlaceholderAncestry {
  public:
    explicit PlaceholderAncestry(const GraphEditor& graph) : graph_(graph), found_(graph.number_count(), unknown) {}

    /// Whether exactly one placeholder is among the transitive inputs of `node`.
    bool is_single(NodeId node);

    /// More than one placeholder. Never a node: graphs are far smaller.
    static constexpr NodeId several = no_node - 1;
    /// Of a node, given what is known of its inputs: no_node for none, the one, or `several`.
    template <typename AnyGraph>
    static NodeId combined(const AnyGraph& graph, NodeId node, const std::vector<NodeId>& found) {
        NodeId combined = graph.op(node) == NodeOp::placeholder ? node : no_node;
        for (const NodeId input : graph.inputs(node)) {
            const NodeId above = found[input];
            if (above == no_node || above == combined) continue;
            combined = combined == no_node ? above : several;
        }
        return combined;
    }

  private:
    static constexpr NodeId unknown = no_node - 2;
    static constexpr NodeId in_progress = no_node - 3;

    const GraphEditor& graph_;
    std::vector<NodeId> found_;
};

/// Whether everything that follows from `node`, outputs of the graph apart, has a single distinct input: a gradient
/// that is only viewed and converted before the output (`is_fsdp_reduce_scatter`, `is_fsdp_reduce_scatter_wait`).
bool reaches_output_alone(const GraphEditor& graph, NodeId node);

}  // namespace overlap
