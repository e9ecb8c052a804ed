#include "core/run/measured_run.h"

#include <algorithm>
#include <limits>

#include "core/base/statistics.h"
#include "core/cost/stream_steps.h"
#include "core/simulate/simulation_totals.h"

namespace overlap {

namespace {

constexpr double ns_per_ms = 1e6;

/// The stretch from a node's first kernel to the end of its last.
struct Stretch {
    std::int64_t start_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
    bool any() const { return end_ns >= start_ns; }
};

}  // namespace

MeasuredRun::MeasuredRun(const Graph& graph, const Program& program) : graph_(graph), times_ms_(graph.node_count()) {
    for (const ComputeWork& work : program.compute) {
        if (!work.is_fused()) continue;
        const std::vector<NodeId>& members = work.kernel->members;
        const std::vector<double> shares = parts_of_kernel(graph, members);
        for (std::size_t index = 0; index < members.size(); ++index)
            parts_[work.node].push_back({members[index], shares[index]});
    }
}

void MeasuredRun::add_step(const std::vector<NodeActivity>& activities) {
    std::vector<double> of_step(graph_.node_count());
    std::vector<bool> seen(graph_.node_count());
    for (const NodeActivity& activity : activities) {
        if (activity.node >= graph_.node_count()) {
            ++without_node_;
            continue;
        }
        const double taken_ms = static_cast<double>(activity.end_ns - activity.start_ns) / ns_per_ms;
        const auto add = [&](const Part& part) {
            of_step[part.node] += taken_ms * part.share;
            seen[part.node] = true;
        };
        if (const auto parts = parts_.find(activity.node); parts != parts_.end()) {
            for (const Part& part : parts->second) add(part);
        } else {
            add({activity.node, 1});
        }
    }
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
        if (seen[node]) times_ms_[node].push_back(of_step[node]);
    }
    const Simulation timeline = timeline_of(activities);
    exposed_ms_.push_back(timeline.exposed_ms);
    for (const CollectiveTiming& collective : timeline.collectives) {
        exposed_of_node_ms_[collective.start].push_back(collective.exposed_ms);
    }
    transfer_exposed_ms_.push_back(timeline.transfer_exposed_ms);
    for (const TransferTiming& transfer : timeline.transfers)
        exposed_of_node_ms_[transfer.start].push_back(transfer.exposed_ms);
    last_step_ = activities;
    ++steps_;
}

std::vector<NodeMeasurement> MeasuredRun::measurements() const {
    std::vector<NodeMeasurement> measurements;
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
        const std::vector<double>& times = times_ms_[node];
        if (times.empty()) continue;
        const auto [minimum, maximum] = std::minmax_element(times.begin(), times.end());
        const auto exposed = exposed_of_node_ms_.find(node);
        measurements.push_back({node, median(times), *minimum, *maximum,
                                exposed == exposed_of_node_ms_.end() ? 0 : median(exposed->second)});
    }
    return measurements;
}

Simulation MeasuredRun::timeline_of(const std::vector<NodeActivity>& activities) const {
    const StreamSteps steps = stream_steps(graph_);
    Simulation simulation = untimed_simulation(graph_, steps);
    std::vector<Stretch> stretches(graph_.node_count());
    std::int64_t origin_ns = std::numeric_limits<std::int64_t>::max();
    for (const NodeActivity& activity : activities) {
        if (activity.node >= graph_.node_count()) continue;
        Stretch& stretch = stretches[activity.node];
        stretch.start_ns = std::min(stretch.start_ns, activity.start_ns);
        stretch.end_ns = std::max(stretch.end_ns, activity.end_ns);
        origin_ns = std::min(origin_ns, activity.start_ns);
    }
    const auto ms = [&](std::int64_t time_ns) { return static_cast<double>(time_ns - origin_ns) / ns_per_ms; };
    std::vector<double> times_ms(graph_.node_count());
    double compute_free_ms = 0;
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
        const StreamStep& step = steps.of_node[node];
        NodeTiming& timing = simulation.nodes[node];
        timing = {compute_free_ms, compute_free_ms};
        if (stretches[node].any()) {
            timing = {ms(stretches[node].start_ns), ms(stretches[node].end_ns)};
            times_ms[node] = timing.end_ms - timing.start_ms;
        }
        if (step.kind == StreamStep::Kind::collective) {
            CollectiveTiming& collective = simulation.collectives[step.collective];
            collective.issue_ms = 0;
            collective.ready_ms = compute_free_ms;
            collective.start_ms = timing.start_ms;
            collective.end_ms = timing.end_ms;
        } else if (step.kind == StreamStep::Kind::wait) {
            const double end_ms = simulation.collectives[step.collective].end_ms;
            timing.end_ms = std::max(compute_free_ms, end_ms);
            compute_free_ms = timing.end_ms;
        } else if (step.kind == StreamStep::Kind::transfer) {
            TransferTiming& transfer = simulation.transfers[step.collective];
            transfer.start_ms = timing.start_ms;
            transfer.end_ms = timing.end_ms;
        } else if (step.kind == StreamStep::Kind::transfer_wait) {
            timing.end_ms = std::max(compute_free_ms, simulation.transfers[step.collective].end_ms);
            compute_free_ms = timing.end_ms;
        } else if (stretches[node].any()) {
            compute_free_ms = timing.end_ms;
        }
    }
    finish_simulation(graph_, steps, times_ms, simulation);
    return simulation;
}

}  // namespace overlap
