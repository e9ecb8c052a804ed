#include "core/simulate/simulation_totals.h"

#include <algorithm>
#include <vector>

#include "core/simulate/exposure.h"

namespace overlap {

namespace {

/// A second wait on a collective adds nothing.
void add_exposed(NodeId wait, CollectiveTiming& collective, Simulation& simulation) {
    if (collective.wait != wait) return;
    collective.exposed_ms = simulation.nodes[wait].end_ms - simulation.nodes[wait].start_ms;
    simulation.exposed_ms += collective.exposed_ms;
    simulation.groups[collective.group].exposed_ms += collective.exposed_ms;
}

void add_exposed(NodeId wait, TransferTiming& transfer, Simulation& simulation) {
    if (transfer.wait != wait) return;
    transfer.exposed_ms = simulation.nodes[wait].end_ms - simulation.nodes[wait].start_ms;
    simulation.transfer_exposed_ms += transfer.exposed_ms;
}

}  // namespace

Simulation untimed_simulation(const Graph& graph, const StreamSteps& steps) {
    Simulation simulation;
    simulation.nodes.resize(graph.node_count());
    simulation.collective_of_node.assign(graph.node_count(), -1);
    for (const std::string& name : steps.groups) simulation.groups.push_back({name, 0, 0, 0});
    simulation.collectives.reserve(steps.collectives.size());
    for (const IssuedCollective& issued : steps.collectives) {
        simulation.collective_of_node[issued.node] = static_cast<std::int32_t>(simulation.collectives.size());
        CollectiveTiming collective;
        collective.start = issued.node;
        collective.wait = issued.wait;
        collective.kind = issued.kind;
        collective.group = issued.group;
        collective.bytes = issued.bytes;
        simulation.collectives.push_back(collective);
        ++simulation.groups[issued.group].collectives;
    }
    if (!steps.transfers.empty()) simulation.transfer_of_node.assign(graph.node_count(), -1);
    for (const IssuedTransfer& issued : steps.transfers) {
        simulation.transfer_of_node[issued.node] = static_cast<std::int32_t>(simulation.transfers.size());
        simulation.transfers.push_back({issued.node, issued.wait, issued.to_host, issued.bytes, 0, 0, 0});
    }
    return simulation;
}

void finish_simulation(const Graph& graph, const StreamSteps& steps, std::span<const double> times_ms,
                       Simulation& simulation) {
    std::vector<bool> is_beside(graph.node_count());
    std::vector<std::int32_t> previous_on_stream;
    for (const IssuedCollective& issued : steps.collectives) {
        previous_on_stream.push_back(issued.previous);
        simulation.groups[issued.group].comm_ms += times_ms[issued.node];
    }
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const StreamStep& step = steps.of_node[node];
        const bool computes = step.kind == StreamStep::Kind::compute || step.kind == StreamStep::Kind::given;
        if (computes) simulation.compute_ms += times_ms[node];
        // What takes no time is on no stream.
        if (!computes || times_ms[node] > 0) {
            simulation.step_ms = std::max(simulation.step_ms, simulation.nodes[node].end_ms);
        }
        if (step.kind == StreamStep::Kind::wait) add_exposed(node, simulation.collectives[step.collective], simulation);
        if (step.kind == StreamStep::Kind::transfer_wait)
            add_exposed(node, simulation.transfers[step.collective], simulation);
        is_beside[node] = step.kind == StreamStep::Kind::wait || step.kind == StreamStep::Kind::transfer ||
                          step.kind == StreamStep::Kind::transfer_wait;
    }
    find_causes(graph, times_ms, previous_on_stream, is_beside, simulation);
}

double idle_ms(double step_ms, double compute_ms, double exposed_ms) {
    constexpr double rounding = 1e-9;  // of sums of thousands of times
    const double idle = step_ms - compute_ms - exposed_ms;
    return idle > rounding * step_ms ? idle : 0;
}

double idle_ms(const Simulation& simulation) {
    return idle_ms(simulation.step_ms, simulation.compute_ms, simulation.exposed_ms + simulation.transfer_exposed_ms);
}

}  // namespace overlap
