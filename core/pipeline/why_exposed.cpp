#include "core/pipeline/why_exposed.h"

namespace overlap {
namespace {

/// What holds the order of collectives when one of them is moved; its own overlaps give way.
IssueOrder order_around(const Evaluation& evaluation, NodeId start) {
    IssueOrder order;
    order.bucket_of_node = evaluation.bucket_of_node;
    if (!evaluation.resolved) return order;
    order.groups_keep_order = evaluation.resolved->plan.overlaps.keep_group_order;
    const Graph& undirected = *evaluation.undirected;
    const auto in_result = [&](NodeId node) { return evaluation.graph->find(undirected.name(node)); };
    for (const DirectiveOutcome& outcome : evaluation.overlaps.directives) {
        if (outcome.start == no_node || in_result(outcome.start) == start) continue;
        for (const OverlapEdge& edge : outcome.edges) {
            const NodeId target = in_result(edge.target), source = in_result(edge.source);
            if (target != no_node && source != no_node) order.further.emplace_back(target, source);
        }
    }
    return order;
}

}  // namespace

std::string why_exposed(const Evaluation& evaluation, std::size_t collective) {
    const Simulation& simulation = evaluation.simulation;
    return explain_exposure(simulation, *evaluation.graph, collective,
                            order_around(evaluation, simulation.collectives[collective].start));
}

double could_hide_ms(const Evaluation& evaluation, std::size_t collective) {
    const Simulation& simulation = evaluation.simulation;
    return could_hide_ms(*evaluation.graph, simulation, collective,
                         order_around(evaluation, simulation.collectives[collective].start));
}

LaterWait later_wait(const Evaluation& evaluation, std::size_t collective) {
    const Simulation& simulation = evaluation.simulation;
    return later_wait(*evaluation.graph, simulation, collective,
                      order_around(evaluation, simulation.collectives[collective].start));
}

}  // namespace overlap
