#include "core/calibrate/run_differences.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/cost/stream_steps.h"

namespace overlap {

namespace {

void add(DifferenceSum& sum, const NodeDifference& node) {
    ++sum.nodes;
    sum.predicted_ms += node.predicted_ms;
    sum.measured_ms += node.measured_ms;
}

}  // namespace

RunDifferences run_differences(const Graph& graph, std::span<const double> predicted_ms, const RunnerTimes& times) {
    const StreamSteps steps = stream_steps(graph);
    const std::vector<ComputeClass> classes = compute_classes(graph);
    RunDifferences differences;
    std::array<DifferenceSum, compute_class_count> by_class;
    std::vector<DifferenceSum> by_group(steps.groups.size());
    DifferenceSum transfers{.name = "copies between device and host"};
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const StreamStep& step = steps.of_node[node];
        const bool is_collective = step.kind == StreamStep::Kind::collective;
        const bool is_transfer = step.kind == StreamStep::Kind::transfer;
        if (!is_collective && !is_transfer && step.kind != StreamStep::Kind::compute) continue;
        const auto measured = times.node_ms.find(graph.name(node));
        if (measured == times.node_ms.end()) {
            differences.not_measured += predicted_ms[node] > 0;
            continue;
        }
        NodeDifference difference{
            .node = node,
            .compute_class = is_collective || is_transfer ? ComputeClass::communication : classes[node],
            .process_group = {},
            .predicted_ms = predicted_ms[node],
            .measured_ms = measured->second};
        if (is_collective) {
            const std::uint32_t group = steps.collectives[step.collective].group;
            difference.process_group = steps.groups[group];
            add(by_group[group], difference);
        } else if (is_transfer) {
            add(transfers, difference);
        } else {
            add(by_class[static_cast<std::size_t>(classes[node])], difference);
        }
        differences.nodes.push_back(std::move(difference));
    }
    std::ranges::stable_sort(differences.nodes, std::greater(),
                             [](const NodeDifference& node) { return std::abs(node.difference_ms()); });
    for (std::size_t index = 0; index < by_class.size(); ++index) {
        by_class[index].name = compute_class_name(static_cast<ComputeClass>(index));
        if (by_class[index].nodes > 0) differences.sums.push_back(std::move(by_class[index]));
    }
    for (std::size_t group = 0; group < by_group.size(); ++group) {
        by_group[group].name = steps.groups[group];
        by_group[group].is_group = true;
        if (by_group[group].nodes > 0) differences.sums.push_back(std::move(by_group[group]));
    }
    if (transfers.nodes > 0) differences.sums.push_back(std::move(transfers));
    return differences;
}

}  // namespace overlap
