#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/flop_formulas.h"
#include "core/graph/graph.h"

namespace overlap {

/// The operation inside a `higher_order.control_deps(dependencies, subgraph, inputs...)`.
///
/// A graph file names the subgraph, `subgraph_<name of the wrapped node>`, but does not hold it. So what is inside is
/// read from that name: names of nodes are their operator's name and a number. Arguments that are not nodes are lost.
struct WrappedOperation {
    /// Index of the first argument that the operation itself takes.
    static constexpr std::size_t first_argument = 2;

    NodeId node = no_node;      ///< the control_deps
    std::string operator_name;  ///< such as `mm` or `all_gather_into_tensor_out`
    CollectiveKind starts = CollectiveKind::none;
    bool is_wait = false;  ///< a wait_tensor whose input is a collective
    FlopFormula formula = FlopFormula::none;
    /// For a collective: its process group. The file does not say which. It is the only one of the header, else the one
    /// whose size is the ratio of output to input bytes (gather, scatter); of several, the one that other collectives
    /// of this kind use first in the graph, else any collective, else the header's first. Empty without any.
    std::string process_group;
};

/// True for a node that wraps another for the sake of its order.
bool is_control_deps(const Graph& graph, NodeId node);

/// The operations inside all control_deps of a graph, in graph order.
std::vector<WrappedOperation> wrapped_operations(const Graph& graph);

}  // namespace overlap
