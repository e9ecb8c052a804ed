#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/passes/overlaps/overlap_directives.h"
#include "core/passes/overlaps/overlap_reach.h"

namespace overlap {

/// The result of a directive on one graph.
struct DirectiveOutcome {
    NodeId start = no_node;          ///< of the collective; no_node where the graph has none of that name
    std::string refusal;             ///< why it cannot hold, with the path between the two nodes; empty if it does
    std::vector<OverlapEdge> edges;  ///< nodes of the graph that the directives were given; empty where refused

    bool holds() const { return refusal.empty(); }
};

/// The order of a graph's nodes in which directives hold, one directive after the other. Each is checked against the
/// data, the order of the process groups if that is to be kept, and the directives before it; one that contradicts them
/// is refused and has no effect.
///
/// "Hide behind a module" means its compute (operators that torch's flop counter knows; in a module without any, all
/// but collectives, waits and views) that the collective neither needs nor delays. Of separate parts, such as a
/// module's forward and backward, the nearer one.
///
/// Moves are those of torch's manual pass (torch/_inductor/fx_passes/overlap_manual_scheduling.py,
/// `_move_overlap_nodes`): a start moves right before the node that it is to precede, and with it, in their order, what
/// it needs and what comes after that node. Then torch's stable sort with all edges as `additional_deps`
/// (torch/_dynamo/graph_deduplication.py, `_stable_topological_sort`) moves starts and waits behind what they are to
/// follow, and otherwise only what depends on them.
class DirectedOrder {
  public:
    /// @param graph in topological order; kept by reference, as are the others.
    DirectedOrder(const Graph& graph, const ModuleTree& modules, const MergedCollectives& merged,
                  const OverlapDirectives& settings);

    /// Adds a directive where that is possible.
    DirectiveOutcome add(const OverlapDirective& directive);
    /// Undoes the last add().
    void take_back();

    /// The start of the collective, or of the bucket that contains it.
    /// @throws InputError with the nearest names.
    NodeId collective(const std::string& name) const;

    /// All dependencies besides the graph's own: of the process groups' order and of the directives that hold.
    const FurtherEdges& further() const { return further_; }

    /// The graph in this order; itself where no directive holds.
    /// @param graph the one that the order is of.
    PassResult apply(const std::shared_ptr<const Graph>& graph) const;

  private:
    struct Wanted {
        OverlapWish wish;
        NodeId node;
    };

    std::vector<Wanted> wanted(const OverlapDirective& directive, NodeId start) const;
    std::vector<Wanted> behind_module(const std::string& path, NodeId start) const;
    NodeId node(const std::string& name) const;
    void require_possible(const Wanted& wanted, NodeId start, const std::vector<NodeId>& waits) const;
    void move_before(NodeId start, NodeId target);

    const Graph& graph_;
    const ModuleTree& modules_;
    const MergedCollectives& merged_;
    bool insert_overlap_deps_;
    std::vector<NodeId> starts_;
    FurtherEdges further_;
    std::vector<NodeId> order_, order_before_last_;
    std::vector<OverlapEdge> edges_;  ///< of all directives that hold
    std::size_t edges_before_last_ = 0;
    std::vector<OverlapEdge> added_last_;  ///< those of the last one that nothing else requires
};

struct DirectedGraph {
    PassResult result;
    std::vector<DirectiveOutcome> outcomes;  ///< one a directive
};

/// Applies all directives that can hold.
/// @throws PassRefusal where the graph is not in topological order.
DirectedGraph apply_overlap_directives(const std::shared_ptr<const Graph>& graph, const ModuleTree& modules,
                                       const OverlapDirectives& directives, const MergedCollectives& merged);

}  // namespace overlap
