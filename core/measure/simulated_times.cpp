#include "core/measure/simulated_times.h"

#include <algorithm>

#include "core/timeline/interval_union.h"

namespace overlap {

SimulatedTimes simulated_times(const Evaluation& evaluation) {
    const Simulation& simulation = evaluation.simulation;
    SimulatedTimes result;
    std::vector<TimeRange> all;
    std::vector<std::vector<TimeRange>> of_group(simulation.groups.size());
    for (const CollectiveTiming& collective : simulation.collectives) {
        all.push_back({nanoseconds(collective.start_ms), nanoseconds(collective.end_ms)});
        of_group[collective.group].push_back(all.back());
    }
    GpuTimes& step = result.step;
    step.span_ns = nanoseconds(simulation.step_ms);
    step.compute_ns = nanoseconds(simulation.compute_ms);
    step.communication_ns = IntervalUnion(std::move(all)).length_ns();
    step.exposed_ns = nanoseconds(simulation.exposed_ms);
    std::vector<TimeRange> copies;
    for (const TransferTiming& copy : simulation.transfers)
        copies.push_back({nanoseconds(copy.start_ms), nanoseconds(copy.end_ms)});
    step.memory_ns = IntervalUnion(std::move(copies)).length_ns();
    result.copies_exposed_ns = nanoseconds(simulation.transfer_exposed_ms);
    step.idle_ns =
        std::max<std::int64_t>(0, step.span_ns - step.compute_ns - step.exposed_ns - result.copies_exposed_ns);
    for (NodeId node = 0; node < evaluation.times_ms.size(); ++node)
        if (evaluation.times_ms[node] > 0) ++step.activities;
    for (std::size_t group = 0; group < simulation.groups.size(); ++group) {
        const IntervalUnion spans(std::move(of_group[group]));
        GpuTimes times;
        times.activities = simulation.groups[group].collectives;
        times.begin_ns = spans.empty() ? 0 : spans.spans().front().begin_ns;
        times.span_ns = spans.extent_ns();
        times.communication_ns = spans.length_ns();
        times.exposed_ns = nanoseconds(simulation.groups[group].exposed_ms);
        times.idle_ns = std::max<std::int64_t>(0, times.span_ns - times.communication_ns);
        result.groups.push_back({simulation.groups[group].process_group, times});
    }
    return result;
}

}  // namespace overlap
