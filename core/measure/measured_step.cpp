#include "core/measure/measured_step.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/timeline/interval_union.h"
#include "core/trace/gpu_steps.h"

namespace overlap {

namespace {

/// The end of the last span that begins before `time_ns`, or nothing.
std::optional<std::int64_t> end_before(const IntervalUnion& spans, std::int64_t time_ns) {
    const auto after = std::partition_point(spans.spans().begin(), spans.spans().end(),
                                            [&](TimeRange span) { return span.begin_ns < time_ns; });
    return after == spans.spans().begin() ? std::nullopt : std::optional(std::prev(after)->end_ns);
}

/// A GPU that ran something, and the steps that launched it.
struct DeviceSteps {
    std::string device;
    std::vector<std::uint32_t> steps;  ///< indices into MeasuredTrace::steps()
};

const std::string& device_of(const MeasuredTrace& trace, const GpuActivity& activity) {
    return trace.tracks()[trace.events().track[activity.event]].process;
}

/// By number. @param step_of as steps_of_activities() returns it.
std::vector<DeviceSteps> steps_of_devices(const MeasuredTrace& trace, std::span<const std::uint32_t> step_of) {
    std::map<std::pair<std::size_t, std::string>, std::set<std::uint32_t>> found;  // numbers: shorter ones first
    for (std::uint32_t index = 0; index < step_of.size(); ++index) {
        const GpuActivity& activity = trace.activities()[index];
        if (activity.work == GpuWork::waiting) continue;
        const std::string& device = device_of(trace, activity);
        std::set<std::uint32_t>& steps = found[{device.size(), device}];
        if (step_of[index] != no_index) steps.insert(step_of[index]);
    }
    std::vector<DeviceSteps> devices;
    for (const auto& [device, steps] : found) devices.push_back({device.second, {steps.begin(), steps.end()}});
    return devices;
}

/// Index into `steps`, which are in order and at least one: the last that counts, or the first where none does.
std::size_t last_counted(const MeasuredTrace& trace, std::span<const std::uint32_t> steps) {
    const auto left_out = std::ranges::lower_bound(steps, first_step_left_out(trace));
    return left_out == steps.begin() ? 0 : static_cast<std::size_t>(left_out - steps.begin()) - 1;
}

class StepReader {
  public:
    StepReader(std::shared_ptr<const MeasuredTrace> trace, const StepSelection& selection)
        : trace_(*trace), step_of_(steps_of_activities(*trace)), devices_(steps_of_devices(*trace, step_of_)) {
        step_.trace = std::move(trace);
        choose_device(selection.device);
        choose_step(selection.step);
    }

    MeasuredStepData run() {
        sort_activities();
        step_.compute_ns = compute_.length_ns();
        step_.communication_ns = communication_.length_ns();
        step_.exposed_ns = step_.communication_ns - overlap_ns(communication_, compute_);
        for (const std::uint32_t index : collectives_) add(index);
        return std::move(step_);
    }

  private:
    void choose_device(const std::string& wanted) {
        if (devices_.empty()) throw InputError("", "the trace has no GPU events, so there is no step to compare with");
        const auto found = std::ranges::find(devices_, wanted, &DeviceSteps::device);
        if (!wanted.empty() && found == devices_.end()) {
            std::string known;
            for (const DeviceSteps& device : devices_) known.append(known.empty() ? "" : ", ").append(device.device);
            throw InputError("", "the trace has no GPU " + in_quotes(wanted) + "; it has " + known);
        }
        device_ = wanted.empty() ? devices_.begin() : found;
        step_.device = device_->device;
    }

    void choose_step(const std::string& wanted) {
        const auto name_of = [&](std::uint32_t step) -> const std::string& { return trace_.steps()[step].name; };
        const auto found = std::ranges::find_if(device_->steps, [&](std::uint32_t step) {
            const std::string& name = name_of(step);
            return name == wanted || name.substr(name.find('#') + 1) == wanted;
        });
        if (!wanted.empty() && found == device_->steps.end()) {
            std::string known;
            for (const std::uint32_t step : device_->steps) {
                known.append(known.empty() ? "" : ", ").append(name_of(step));
            }
            throw InputError("", "GPU " + step_.device + " has no step " + in_quotes(wanted) + "; " +
                                     (known.empty() ? "the trace has no steps" : "it has " + known));
        }
        if (device_->steps.empty()) return;  // everything
        chosen_ = wanted.empty() ? device_->steps[last_counted(trace_, device_->steps)] : *found;
        step_.name = name_of(*chosen_);
    }

    bool is_of_device(std::uint32_t activity) const {
        return device_of(trace_, trace_.activities()[activity]) == step_.device &&
               trace_.activities()[activity].work != GpuWork::waiting;
    }

    void sort_activities() {
        std::vector<TimeRange> compute, communication, busy, all;
        std::map<std::uint32_t, std::vector<TimeRange>> by_track;
        for (std::uint32_t index = 0; index < step_of_.size(); ++index) {
            if (!is_of_device(index) || (chosen_ && step_of_[index] != *chosen_)) continue;
            const GpuActivity& activity = trace_.activities()[index];
            const TimeRange range = trace_.range(activity);
            all.push_back(range);
            if (activity.work == GpuWork::compute) compute.push_back(range);
            if (activity.work == GpuWork::communication) {
                communication.push_back(range);
                by_track[trace_.events().track[activity.event]].push_back(range);
                collectives_.push_back(activity.collective);
            } else {
                busy.push_back(range);
            }
        }
        const IntervalUnion whole(std::move(all));
        if (!whole.empty()) step_.span = {whole.spans().front().begin_ns, whole.spans().back().end_ns};
        compute_ = IntervalUnion(std::move(compute));
        communication_ = IntervalUnion(std::move(communication));
        busy_ = IntervalUnion(std::move(busy));
        for (auto& [track, ranges] : by_track) streams_.emplace(track, IntervalUnion(std::move(ranges)));
        std::stable_sort(collectives_.begin(), collectives_.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return range_of(a).begin_ns < range_of(b).begin_ns; });
    }

    TimeRange range_of(std::uint32_t collective) const {
        return trace_.range(trace_.activities()[trace_.collectives()[collective].activity]);
    }

    void add(std::uint32_t index) {
        const MeasuredCollective& measured = trace_.collectives()[index];
        const GpuActivity& activity = trace_.activities()[measured.activity];
        StepCollective& made = step_.collectives.emplace_back();
        made.collective = index;
        made.range = trace_.range(activity);
        made.group = measured.group;
        made.track = trace_.events().track[activity.event];
        made.kind = measured.kind;
        made.bytes = std::max(measured.input_bytes, measured.output_bytes);
        if (activity.launch != no_index) made.launch_ns = trace_.events().start_ns[activity.launch];
        made.beside_compute_ns = overlap_ns(made.range, compute_);
        made.exposed_ns = made.length_ns() - made.beside_compute_ns;
        std::vector<TimeRange> others;
        for (const auto& [track, stream] : streams_) {
            if (track == made.track) continue;
            for (const TimeRange span : spans_in(stream, made.range)) others.push_back(span);
        }
        made.beside_others_ns = overlap_ns(made.range, IntervalUnion(std::move(others)));
        std::int64_t last_ns = step_.span.begin_ns;
        for (const IntervalUnion* work : {&busy_, &streams_.at(made.track)}) {
            if (const auto end_ns = end_before(*work, made.range.begin_ns)) last_ns = std::max(last_ns, *end_ns);
        }
        made.idle_before_ns = std::max<std::int64_t>(0, made.range.begin_ns - last_ns);
    }

    const MeasuredTrace& trace_;
    std::vector<std::uint32_t> step_of_;
    std::vector<DeviceSteps> devices_;
    std::vector<DeviceSteps>::const_iterator device_;
    std::optional<std::uint32_t> chosen_;  ///< nothing: the whole trace
    std::vector<std::uint32_t> collectives_;
    IntervalUnion compute_, communication_;
    IntervalUnion busy_;  ///< compute, copies and fills
    std::map<std::uint32_t, IntervalUnion> streams_;
    MeasuredStepData step_;
};

}  // namespace

std::vector<MeasuredDevice> measured_devices(const MeasuredTrace& trace) {
    std::vector<MeasuredDevice> devices;
    for (const DeviceSteps& found : steps_of_devices(trace, steps_of_activities(trace))) {
        MeasuredDevice& device = devices.emplace_back();
        device.device = found.device;
        for (const std::uint32_t step : found.steps) device.steps.push_back(trace.steps()[step].name);
        if (!found.steps.empty()) device.last_counted = last_counted(trace, found.steps);
    }
    return devices;
}

MeasuredStepData measured_step(std::shared_ptr<const MeasuredTrace> trace, const StepSelection& selection) {
    return StepReader(std::move(trace), selection).run();
}

}  // namespace overlap
