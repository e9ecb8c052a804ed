// The rules of HolisticTraceAnalysis 0.5, so that its figures can be set beside ours: hta/common/types.py (names),
// trace_parser.py (rounding), trace.py (which kernels are counted), breakdown_analysis.py, communication_analysis.py.

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/timeline/interval_union.h"
#include "core/trace/trace_statistics.h"

namespace overlap {

namespace {

constexpr std::int64_t us = 1'000;

bool has(std::string_view name, std::string_view part) {
    return name.find(part) != std::string_view::npos;
}

bool is_communication(std::string_view name) {
    return name.starts_with("nccl") || name.starts_with("hip") || name.starts_with("hccl") || has(name, "ncclKernel");
}

bool is_memory(std::string_view name) {
    return name.starts_with("Memcpy") || name.starts_with("Memset") || name.starts_with("dma");
}

/// Asked of names that are neither of the above.
bool is_compute(std::string_view name) {
    for (const std::string_view part : {"Memcpy", "Memset", "dma", "Sync"}) {
        if (has(name, part)) return false;
    }
    for (const std::string_view start : {"Stream Wait Event", "runFunction", "job_exe", "packet", "pe_exe",
                                         "cpum_exe_subgraph", "collective_subgraph_execution"}) {
        if (name.starts_with(start)) return false;
    }
    return !(name.starts_with("cuda") && has(name, "LaunchKernel"));
}

/// Microseconds as it holds them: in a double, which for times since 1970 has steps of a quarter of a microsecond.
double microseconds(std::int64_t time_ns) {
    return static_cast<double>(static_cast<long double>(time_ns) / us);
}

/// Rounds a span inwards to whole microseconds, where it may come out ending before it starts.
TimeRange rounded_inwards(TimeRange range) {
    const double start_us = microseconds(range.begin_ns);
    const double end_us = start_us + microseconds(range.length_ns());
    return {us * static_cast<std::int64_t>(std::ceil(start_us)), us * static_cast<std::int64_t>(std::floor(end_us))};
}

/// The activities that it counts: those on a stream, and, where there are several steps, launched before the last.
std::vector<const GpuActivity*> counted(const MeasuredTrace& trace) {
    std::vector<const GpuActivity*> activities;
    const std::span<const MeasuredStep> steps = trace.steps();
    for (const GpuActivity& activity : trace.activities()) {
        if (!activity.has_stream) continue;
        if (steps.size() > 1) {
            if (activity.launch == no_index) continue;
            if (trace.events().start_ns[activity.launch] >= steps.back().host.begin_ns) continue;
        }
        activities.push_back(&activity);
    }
    return activities;
}

}  // namespace

std::optional<HolisticTimes> holistic_times(const MeasuredTrace& trace) {
    const std::vector<const GpuActivity*> activities = counted(trace);
    if (activities.empty()) return std::nullopt;
    const std::vector<std::int64_t>& starts_ns = trace.events().start_ns;
    const bool has_fractions =
        std::any_of(starts_ns.begin(), starts_ns.end(), [](std::int64_t start_ns) { return start_ns % us != 0; });

    std::vector<TimeRange> all, compute, communication;
    std::map<std::string_view, std::uint64_t> missed;
    for (const GpuActivity* activity : activities) {
        TimeRange range = trace.range(*activity);
        range.begin_ns -= trace.header().base_ns;
        range.end_ns -= trace.header().base_ns;
        if (has_fractions) range = rounded_inwards(range);
        const std::string_view name = trace.name(activity->event);
        all.push_back(range);
        if (is_communication(name)) {
            communication.push_back(range);
        } else {
            if (activity->work == GpuWork::communication) ++missed[name];
            if (!is_memory(name) && is_compute(name)) compute.push_back(range);
        }
    }
    const IntervalUnion busy(std::move(all)), computing(std::move(compute)), communicating(std::move(communication));
    HolisticTimes times;
    times.kernel_us = busy.extent_ns() / us;
    times.compute_us = computing.length_ns() / us;
    times.idle_us = times.kernel_us - busy.length_ns() / us;
    times.non_compute_us = times.kernel_us - times.compute_us - times.idle_us;
    if (communicating.length_ns() > 0) {
        times.overlap_percent = 100.0 * static_cast<double>(overlap_ns(computing, communicating)) /
                                static_cast<double>(communicating.length_ns());
    }
    for (const auto& [name, events] : missed) times.missed_collectives.push_back({std::string(name), events});
    return times;
}

}  // namespace overlap
