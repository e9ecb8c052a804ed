// Exposed times of real traces, reckoned here by walking from boundary to boundary of kernels, against all that the
// application tells: the timeline's events, the ruler, the step that Compare shows, and trace-stats.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "core/io/trace_file.h"
#include "core/measure/measured_step.h"
#include "core/timeline/find_events.h"
#include "core/timeline/range_statistics.h"
#include "core/trace/gpu_steps.h"
#include "core/trace/measured_timeline.h"
#include "core/trace/trace_statistics.h"

namespace overlap {
namespace {

std::vector<std::string> traces() {
    std::vector<std::string> found;
    for (const char* folder : {OVERLAP_TEST_DATA "/traces", OVERLAP_SHARED_DATA "/traces"}) {
        if (!std::filesystem::exists(folder)) continue;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const std::string path = entry.path().string();
            const bool is_known = std::ranges::any_of(found, [&](const std::string& other) {
                return std::filesystem::path(other).filename() == entry.path().filename();
            });
            if (path.ends_with(".json.gz") && !is_known) found.push_back(path);
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

class RealTraceExposure : public testing::TestWithParam<std::string> {
  protected:
    std::shared_ptr<const MeasuredTrace> trace_ = read_trace_file(GetParam());

    const std::string& device_of(const GpuActivity& activity) const {
        return trace_->tracks()[trace_->events().track[activity.event]].process;
    }

    /// Time within `spans` at which no compute of the GPU runs, of activities that `counts` says yes to.
    template <typename Counts>
    std::int64_t exposed_ns(const std::vector<TimeRange>& spans, const std::string& device, Counts counts) const {
        std::vector<std::pair<std::int64_t, std::pair<int, int>>> changes;  // communicating, computing
        for (const TimeRange span : spans) {
            changes.push_back({span.begin_ns, {1, 0}});
            changes.push_back({span.end_ns, {-1, 0}});
        }
        for (std::uint32_t index = 0; index < trace_->activities().size(); ++index) {
            const GpuActivity& activity = trace_->activities()[index];
            if (activity.work != GpuWork::compute || device_of(activity) != device || !counts(index)) continue;
            changes.push_back({trace_->range(activity).begin_ns, {0, 1}});
            changes.push_back({trace_->range(activity).end_ns, {0, -1}});
        }
        std::sort(changes.begin(), changes.end());
        std::int64_t sum_ns = 0, last_ns = 0;
        int communicating = 0, computing = 0;
        for (const auto& [time_ns, change] : changes) {
            if (communicating > 0 && computing == 0) sum_ns += time_ns - last_ns;
            last_ns = time_ns;
            communicating += change.first;
            computing += change.second;
        }
        return sum_ns;
    }

    std::vector<TimeRange> communication_of(const std::string& device) const {
        std::vector<TimeRange> spans;
        for (const GpuActivity& activity : trace_->activities()) {
            if (activity.work == GpuWork::communication && device_of(activity) == device)
                spans.push_back(trace_->range(activity));
        }
        return spans;
    }

    static bool all(std::uint32_t) { return true; }
};

TEST_P(RealTraceExposure, OfEachCollectiveIsTheTimelines) {
    const auto timeline = measured_timeline(*trace_, {.host_threads = false, .python_functions = false});
    std::int64_t longest_ns = 0;
    for (const MeasuredCollective& collective : trace_->collectives()) {
        const GpuActivity& activity = trace_->activities()[collective.activity];
        const std::int64_t expected_ns = exposed_ns({trace_->range(activity)}, device_of(activity), all);
        longest_ns = std::max(longest_ns, expected_ns);
        const auto drawn = timeline->find(activity.event);
        ASSERT_EQ(drawn.size(), 1u);
        const EventLocation at = drawn.front().location;
        EXPECT_EQ(timeline->lanes()[at.lane].exposed_ns[at.event], expected_ns) << "event " << activity.event;
    }
    const std::vector<EventLocation> most = most_exposed_events(*timeline);
    ASSERT_EQ(most.empty(), longest_ns == 0);
    if (!most.empty()) {
        EXPECT_EQ(timeline->lanes()[most[0].lane].exposed_ns[most[0].event], longest_ns);
    }
}

TEST_P(RealTraceExposure, OfAllIsTheRulers) {
    const auto timeline = measured_timeline(*trace_);
    std::int64_t expected_ns = 0;
    for (const DeviceTimes& device : device_times(*trace_))
        expected_ns += exposed_ns(communication_of(device.device), device.device, all);
    EXPECT_EQ(RangeSums(timeline).of(timeline->range()).exposed_ns, expected_ns);
}

TEST_P(RealTraceExposure, OfAStepIsThatOfTraceStatsAndOfCompare) {
    const std::vector<std::uint32_t> step_of = steps_of_activities(*trace_);
    for (const DeviceTimes& device : device_times(*trace_)) {
        for (const StepTimes& step : device.steps) {
            const auto is_of_step = [&](std::uint32_t index) {
                return step_of[index] != no_index && trace_->steps()[step_of[index]].name == step.name;
            };
            std::vector<TimeRange> spans;
            for (std::uint32_t index = 0; index < step_of.size(); ++index) {
                const GpuActivity& activity = trace_->activities()[index];
                if (activity.work == GpuWork::communication && device_of(activity) == device.device &&
                    is_of_step(index))
                    spans.push_back(trace_->range(activity));
            }
            EXPECT_EQ(step.times.exposed_ns, exposed_ns(spans, device.device, is_of_step)) << step.name;
            const MeasuredStepData compared = measured_step(trace_, {device.device, step.name});
            EXPECT_EQ(compared.exposed_ns, step.times.exposed_ns) << step.name;
            EXPECT_EQ(compared.communication_ns, step.times.communication_ns) << step.name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Traces, RealTraceExposure, testing::ValuesIn(traces()),
                         [](const auto& trace) { return std::filesystem::path(trace.param).stem().stem().string(); });

}  // namespace
}  // namespace overlap
