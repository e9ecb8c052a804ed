#include "core/trace/trace_statistics.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/timeline/interval_union.h"
#include "core/trace/gpu_steps.h"

namespace overlap {

namespace {

/// Sums the activities of one set.
class TimesOfSet {
  public:
    void add(const GpuActivity& activity, TimeRange range) {
        if (activity.work == GpuWork::waiting) return;
        ++times_.activities;
        times_.unmatched += activity.launch == no_index ? 1 : 0;
        busy_.push_back(range);
        if (activity.work == GpuWork::compute) compute_.push_back(range);
        if (activity.work == GpuWork::communication) communication_.push_back(range);
        if (activity.work == GpuWork::memory) memory_.push_back(range);
    }

    GpuTimes finish() {
        const IntervalUnion busy(std::move(busy_)), compute(std::move(compute_)),
            communication(std::move(communication_)), memory(std::move(memory_));
        times_.begin_ns = busy.empty() ? 0 : busy.spans().front().begin_ns;
        times_.span_ns = busy.extent_ns();
        times_.compute_ns = compute.length_ns();
        times_.communication_ns = communication.length_ns();
        times_.exposed_ns = times_.communication_ns - overlap_ns(communication, compute);
        times_.memory_ns = memory.length_ns();
        times_.idle_ns = times_.span_ns - busy.length_ns();
        return times_;
    }

  private:
    GpuTimes times_;
    std::vector<TimeRange> busy_, compute_, communication_, memory_;
};

/// Devices by number where the names are numbers: "10" comes after "9".
struct ByNumber {
    bool operator()(std::string_view a, std::string_view b) const {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    }
};

}  // namespace

std::optional<double> GpuTimes::overlap_percent() const {
    if (communication_ns <= 0) return std::nullopt;
    return 100.0 * static_cast<double>(communication_ns - exposed_ns) / static_cast<double>(communication_ns);
}

std::vector<DeviceTimes> device_times(const MeasuredTrace& trace) {
    struct Device {
        TimesOfSet total;
        std::map<std::uint32_t, TimesOfSet> steps;
    };
    const std::uint32_t first_left_out = first_step_left_out(trace);
    const std::vector<std::uint32_t> step_of = steps_of_activities(trace);
    std::map<std::string_view, Device, ByNumber> devices;
    for (std::uint32_t index = 0; index < step_of.size(); ++index) {
        const GpuActivity& activity = trace.activities()[index];
        const TimeRange range = trace.range(activity);
        Device& device = devices[trace.tracks()[trace.events().track[activity.event]].process];
        const std::uint32_t step = step_of[index];
        if (step == no_index || step < first_left_out) device.total.add(activity, range);
        if (step != no_index) device.steps[step].add(activity, range);
    }
    std::vector<DeviceTimes> result;
    for (auto& [name, device] : devices) {
        DeviceTimes& times = result.emplace_back();
        times.device = name;
        times.total = device.total.finish();
        for (auto& [step, set] : device.steps) {
            const MeasuredStep& measured = trace.steps()[step];
            times.steps.push_back({measured.name, measured.host.length_ns(), set.finish(), step < first_left_out});
        }
    }
    return result;
}

}  // namespace overlap
