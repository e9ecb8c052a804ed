#include "core/views/removed_collectives.h"

#include <algorithm>

namespace overlap {
namespace {

/// Starts of collectives, and products that are fused with theirs.
std::vector<NodeId> communicating(const Graph& graph) {
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < graph.node_count(); ++node)
        if (graph.op(node) == NodeOp::call_function &&
            (graph.target_info(node).starts != CollectiveKind::none || graph.target(node).starts_with("symm_mem.")))
            nodes.push_back(node);
    return nodes;
}

bool has_all(const Graph& graph, const Graph& of, const std::vector<NodeId>& nodes) {
    return std::ranges::all_of(nodes, [&](NodeId node) { return graph.find(of.name(node)) != no_node; });
}

}  // namespace

std::vector<NodeId> removed_collectives(const Evaluation& evaluation) {
    std::vector<NodeId> removed;
    if (evaluation.refused) return removed;
    std::vector<const Graph*> graphs;
    for (const StepOutcome& step : evaluation.steps)
        if (step.given && (graphs.empty() || graphs.back() != step.given.get())) graphs.push_back(step.given.get());
    if (graphs.empty()) return removed;
    if (graphs.back() != evaluation.undirected.get()) graphs.push_back(evaluation.undirected.get());
    std::vector<NodeId> before = communicating(*graphs.front());
    for (std::size_t step = 1; step < graphs.size(); ++step) {
        std::vector<NodeId> after = communicating(*graphs[step]);
        // What a step makes stands for what it takes away.
        if (after.size() < before.size() && has_all(*graphs[step - 1], *graphs[step], after)) {
            for (const NodeId node : before) {
                if (graphs[step]->find(graphs[step - 1]->name(node)) != no_node) continue;
                if (const NodeId input = evaluation.input->find(graphs[step - 1]->name(node)); input != no_node)
                    removed.push_back(input);
            }
        }
        before = std::move(after);
    }
    std::ranges::sort(removed);
    return removed;
}

}  // namespace overlap
