#include "core/trace/measured_links.h"

#include <algorithm>
#include <utility>

namespace overlap {

namespace {

constexpr std::uint32_t events_between = 1 << 20;

/// Events by an id, for bisection; the first event of an id comes first.
using Index = std::vector<std::pair<std::int64_t, std::uint32_t>>;

std::uint32_t first_of(const Index& index, std::int64_t id) {
    const auto found = std::lower_bound(index.begin(), index.end(), std::pair(id, std::uint32_t{0}));
    return id != no_id && found != index.end() && found->first == id ? found->second : no_index;
}

bool launches_work(std::string_view call) {
    return call.find("LaunchKernel") != std::string_view::npos || call.find("MemcpyAsync") != std::string_view::npos ||
           call.find("MemsetAsync") != std::string_view::npos;
}

}  // namespace

void link_launches(const MeasuredTrace& trace, std::span<GpuActivity> activities, TraceRemarks& remarks,
                   const std::function<void()>& between) {
    const MeasuredEvents& events = trace.events();
    Index launches, operators;
    std::vector<std::int64_t> launched;
    launched.reserve(activities.size());
    for (const GpuActivity& activity : activities) launched.push_back(events.id[activity.event]);
    between();
    std::sort(launched.begin(), launched.end());
    between();
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (event % events_between == 0) between();
        if (!events.is_interval(event) || events.id[event] == no_id) continue;
        const EventCategory category = trace.category(event);
        if (category == EventCategory::runtime) {
            launches.emplace_back(events.id[event], event);
            const bool has_activity = std::binary_search(launched.begin(), launched.end(), events.id[event]);
            if (!has_activity && launches_work(trace.name(event))) ++remarks.launches_without_activity;
        }
        if (category == EventCategory::cpu_op || category == EventCategory::user_annotation) {
            operators.emplace_back(events.id[event], event);
        }
    }
    between();
    std::sort(launches.begin(), launches.end());
    between();
    std::sort(operators.begin(), operators.end());
    between();
    for (GpuActivity& activity : activities) {
        activity.launch = first_of(launches, events.id[activity.event]);
        activity.operation = first_of(operators, activity.external_id);
        if (activity.launch == no_index) {
            // As in GpuTimes, waits are left out: they are no work of the GPU.
            if (trace.category(activity.event) != EventCategory::synchronization) ++remarks.activities_without_launch;
        } else if (events.start_ns[activity.event] < events.start_ns[activity.launch]) {
            ++remarks.starts_before_launch;
        }
    }
}

}  // namespace overlap
