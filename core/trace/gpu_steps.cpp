#include "core/trace/gpu_steps.h"

#include <algorithm>
#include <map>

namespace overlap {

std::uint32_t step_at(std::span<const MeasuredStep> steps, std::int64_t host_ns) {
    const auto after = std::upper_bound(steps.begin(), steps.end(), host_ns,
                                        [](std::int64_t time, const auto& step) { return time < step.host.begin_ns; });
    return after == steps.begin() ? no_index : static_cast<std::uint32_t>(after - steps.begin() - 1);
}

std::vector<std::uint32_t> steps_of_activities(const MeasuredTrace& trace) {
    const MeasuredEvents& events = trace.events();
    std::vector<std::uint32_t> step_of(trace.activities().size(), no_index);
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_track;
    bool all_launched = true;
    for (std::uint32_t index = 0; index < step_of.size(); ++index) {
        const GpuActivity& activity = trace.activities()[index];
        by_track[events.track[activity.event]].push_back(index);
        if (activity.launch != no_index) {
            step_of[index] = step_at(trace.steps(), events.start_ns[activity.launch]);
        } else {
            all_launched = false;
        }
    }
    if (all_launched || trace.steps().empty()) return step_of;
    const auto is_launched = [&](std::uint32_t index) { return trace.activities()[index].launch != no_index; };
    for (auto& [track, order] : by_track) {
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return trace.range(trace.activities()[a]).begin_ns < trace.range(trace.activities()[b]).begin_ns;
        });
        const auto first = std::find_if(order.begin(), order.end(), is_launched);
        std::uint32_t step = first == order.end() ? no_index : step_of[*first];
        for (const std::uint32_t index : order) {
            if (is_launched(index)) step = step_of[index];
            step_of[index] = step;
        }
    }
    return step_of;
}

std::uint32_t first_step_left_out(const MeasuredTrace& trace) {
    const auto count = static_cast<std::uint32_t>(trace.steps().size());
    return count > 1 ? count - 1 : count;
}

}  // namespace overlap
