#include "core/trace/measured_timeline.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/timeline/interval_union.h"
#include "core/timeline/timeline_builder.h"
#include "core/trace/thread_number.h"

namespace overlap {

namespace {

/// What of a track lies in one lane. Annotations span the kernels below them, and waits what they wait for, so either
/// would push the work itself to lower rows.
enum class Layer : std::uint8_t { gpu_work, gpu_waits, gpu_annotations, host, python };

/// What is known of a stream before it becomes a lane.
struct StreamSummary {
    std::int64_t compute_ns = 0, communication_ns = 0;
    std::uint64_t collectives = 0;
    std::set<std::uint32_t> groups;
};

/// What is known of a GPU.
struct Device {
    std::uint32_t number = 0;
    IntervalUnion computing;                     ///< in the trace's times
    std::shared_ptr<const IntervalUnion> drawn;  ///< in the timeline's
};

class MeasuredDrawing {
  public:
    MeasuredDrawing(const MeasuredTrace& trace, const MeasuredTimelineOptions& options)
        : trace_(trace), events_(trace.events()), options_(options) {
        summarise_streams();
    }

    std::shared_ptr<const Timeline> run() {
        collect();
        const std::vector<LaneKey> keys = sorted_lanes();
        std::vector<LaneDescription> descriptions;
        for (const LaneKey& key : keys) descriptions.push_back(describe(key.first, key.second));
        add_streams_to_equal_titles(keys, descriptions);
        for (std::size_t index = 0; index < keys.size(); ++index) {
            const LaneKey& key = keys[index];
            const std::uint32_t lane = builder_.add_lane(std::move(descriptions[index]));
            std::vector<TimelineEvent> events;
            for (const std::uint32_t event : lanes_[key]) events.push_back(drawn(event, key.second));
            if (key.second == Layer::gpu_work) end_where_the_next_begins(events);
            for (const TimelineEvent& event : events) builder_.add(lane, event);
        }
        add_memory();
        return builder_.finish();
    }

  private:
    using LaneKey = std::pair<std::uint32_t, Layer>;

    void summarise_streams() {
        std::map<std::string, std::vector<TimeRange>> compute;
        for (const GpuActivity& activity : trace_.activities()) {
            const std::uint32_t track = events_.track[activity.event];
            const TimeRange range = trace_.range(activity);
            StreamSummary& stream = streams_[track];
            std::vector<TimeRange>& computing = compute[trace_.tracks()[track].process];
            if (activity.work == GpuWork::compute) {
                stream.compute_ns += range.length_ns();
                computing.push_back(range);
            }
            if (activity.work == GpuWork::communication) {
                stream.communication_ns += range.length_ns();
                ++stream.collectives;
                stream.groups.insert(trace_.collectives()[activity.collective].group);
            }
        }
        for (auto& [name, spans] : compute) {
            Device& device = devices_[name];
            device.number = static_cast<std::uint32_t>(devices_.size()) - 1;
            device.computing = IntervalUnion(std::move(spans));
            device.drawn = std::make_shared<const IntervalUnion>(shifted(device.computing, options_.clock_offset_ns));
        }
    }

    bool is_of_other_device(const MeasuredTrack& track) const {
        return track.is_gpu && !options_.device.empty() && track.process != options_.device;
    }

    void collect() {
        activity_of_.assign(events_.size(), no_index);
        for (std::uint32_t index = 0; index < trace_.activities().size(); ++index) {
            activity_of_[trace_.activities()[index].event] = index;
        }
        for (std::uint32_t event = 0; event < events_.size(); ++event) {
            const char phase = events_.phase[event];
            if (!events_.is_interval(event) && phase != 'i' && phase != 'I') continue;
            const std::uint32_t track = events_.track[event];
            if (is_of_other_device(trace_.tracks()[track])) continue;
            const Layer layer = layer_of(event, trace_.tracks()[track].is_gpu);
            if (is_wanted(layer)) lanes_[{track, layer}].push_back(event);
        }
    }

    bool is_wanted(Layer layer) const {
        if (layer == Layer::python) return options_.python_functions;
        return layer == Layer::host ? options_.host_threads : options_.gpu_streams;
    }

    Layer layer_of(std::uint32_t event, bool is_gpu) const {
        const EventCategory category = trace_.category(event);
        if (category == EventCategory::gpu_user_annotation) return Layer::gpu_annotations;
        if (category == EventCategory::synchronization) return Layer::gpu_waits;
        if (category == EventCategory::python_function) return Layer::python;
        return is_gpu ? Layer::gpu_work : Layer::host;
    }

    const StreamSummary& stream(std::uint32_t track) const {
        static const StreamSummary nothing;
        const auto found = streams_.find(track);
        return found != streams_.end() ? found->second : nothing;
    }

    LaneKind kind_of(std::uint32_t track, Layer layer) const {
        if (layer != Layer::gpu_work) return LaneKind::other;
        const StreamSummary& summary = stream(track);
        if (summary.compute_ns == 0 && summary.communication_ns == 0) return LaneKind::other;
        return summary.communication_ns > summary.compute_ns ? LaneKind::process_group : LaneKind::compute;
    }

    /// GPUs before threads; on each GPU the streams that compute most, communication, copies, then what is no work.
    std::vector<LaneKey> sorted_lanes() const {
        std::vector<LaneKey> sorted;
        for (const auto& [key, events] : lanes_) sorted.push_back(key);
        const auto rank = [this](const LaneKey& key) {
            const MeasuredTrack& track = trace_.tracks()[key.first];
            const bool is_host = !track.is_gpu;
            const std::string device = is_host ? std::string() : track.process;
            const std::int64_t order = is_host ? track.sort_index : -stream(key.first).compute_ns;
            // Numbers of devices come in their order when shorter ones come first.
            return std::tuple(is_host, device.size(), device, is_host ? Layer::host : key.second,
                              kind_of(key.first, key.second), order, key);
        };
        std::sort(sorted.begin(), sorted.end(), [&](const LaneKey& a, const LaneKey& b) { return rank(a) < rank(b); });
        return sorted;
    }

    /// By its name, else by its number; subtitles, which have the process, have no room in low rows.
    static std::string thread_title(const MeasuredTrack& track) {
        if (!track.thread_name.empty()) return track.thread_name;
        if (track.thread.empty()) return "Thread without a number";
        if (!is_thread_number(track.thread)) return track.thread;
        const std::string title = "Thread " + thread_number(track.thread);
        return track.process_name.empty() ? title : title + " (" + track.process_name + ")";
    }

    /// What Kineto's names of threads end with: `python3` of `thread 7 (python3)`.
    static std::string_view name_in_brackets(std::string_view title) {
        const std::size_t open = title.find('(');
        if (open == std::string_view::npos || !title.ends_with(')')) return {};
        return title.substr(open + 1, title.size() - open - 2);
    }

    LaneDescription describe(std::uint32_t track, Layer layer) const {
        const MeasuredTrack& of = trace_.tracks()[track];
        LaneDescription lane;
        lane.kind = kind_of(track, layer);
        if (!of.is_gpu) {
            lane.title = thread_title(of);
            const bool is_said = of.process_name.empty() || of.process_name == name_in_brackets(lane.title);
            lane.subtitle = is_said ? "Process " : of.process_name + ", process ";
            lane.subtitle += of.process;
            if (layer == Layer::python) lane.title += ", Python";
            return lane;
        }
        if (const auto device = devices_.find(of.process); device != devices_.end()) {
            lane.device = device->second.number;
            lane.computing = device->second.drawn;
        }
        lane.subtitle = "GPU " + of.process + ", stream " + stream_name(of, layer);
        switch (layer) {
            case Layer::gpu_annotations:
                lane.title = "Annotations";
                break;
            case Layer::gpu_waits:
                lane.title = "Waits";
                break;
            default:
                lane.title = work_title(track, lane.kind);
                break;
        }
        if (lane.kind == LaneKind::process_group) {
            lane.role = EventRole::unbucketed;
            const std::uint64_t count = stream(track).collectives;
            lane.subtitle += ", " + std::to_string(count) + (count == 1 ? " collective" : " collectives");
        }
        return lane;
    }

    /// Subtitles have no room in low rows: lanes of one GPU that are called alike have the stream in their titles, too.
    void add_streams_to_equal_titles(const std::vector<LaneKey>& keys,
                                     std::vector<LaneDescription>& descriptions) const {
        std::map<std::pair<std::string_view, std::string>, std::vector<std::size_t>> called;
        for (std::size_t index = 0; index < keys.size(); ++index) {
            const MeasuredTrack& track = trace_.tracks()[keys[index].first];
            if (track.is_gpu) called[{track.process, descriptions[index].title}].push_back(index);
        }
        for (const auto& [name, alike] : called) {
            if (alike.size() < 2) continue;
            for (const std::size_t index : alike)
                descriptions[index]
                    .title.append(", stream ")
                    .append(stream_name(trace_.tracks()[keys[index].first], keys[index].second));
        }
    }

    /// Kineto moves a stream's waits to a row of their own, whose number is this much above the stream's.
    static std::string stream_name(const MeasuredTrack& track, Layer layer) {
        constexpr std::int64_t wait_rows = 1'000'000;
        std::int64_t row = 0;
        const char* end = track.thread.data() + track.thread.size();
        const bool is_number = std::from_chars(track.thread.data(), end, row).ptr == end;
        if (layer != Layer::gpu_waits || !is_number || row < wait_rows) return track.thread;
        return std::to_string(row - wait_rows);
    }

    std::string work_title(std::uint32_t track, LaneKind kind) const {
        if (kind == LaneKind::compute) return "Compute";
        if (kind == LaneKind::other) return "Copies";
        const std::set<std::uint32_t>& groups = stream(track).groups;
        if (groups.size() != 1 || *groups.begin() == no_index) return "Communication";
        const MeasuredGroup& group = trace_.groups()[*groups.begin()];
        return !group.description.empty() ? group.description : "Group " + group.name;
    }

    TimelineEvent drawn(std::uint32_t event, Layer layer) {
        TimelineEvent made;
        made.time = events_.range(event);
        made.name = name_of(events_.name[event]);
        made.reference = event;
        if (layer == Layer::gpu_waits) made.role = EventRole::idle;
        const std::uint32_t index = activity_of_[event];
        if (index != no_index && trace_.activities()[index].work == GpuWork::communication) {
            made.role = EventRole::unbucketed;
            const Device& device = devices_.at(trace_.tracks()[events_.track[event]].process);
            made.exposed_ns = made.time.length_ns() - overlap_ns(made.time, device.computing);
        }
        made.time = shifted(made.time, options_.clock_offset_ns);
        return made;
    }

    /// Takes back what rounding made of events that follow one another, so that they stay in one row.
    static void end_where_the_next_begins(std::vector<TimelineEvent>& events) {
        const auto begin = [](const TimelineEvent& event) { return event.time.begin_ns; };
        std::ranges::stable_sort(events, {}, begin);
        for (std::size_t next = 1; next < events.size(); ++next) {
            TimelineEvent& event = events[next - 1];
            const std::int64_t next_begin_ns = events[next].time.begin_ns;
            if (event.time.end_ns - next_begin_ns != rounding_ns || event.time.begin_ns == next_begin_ns) continue;
            event.time.end_ns = next_begin_ns;
            event.exposed_ns = std::min(event.exposed_ns, event.time.length_ns());
        }
    }

    std::uint32_t name_of(StringId text) {
        const auto [place, is_new] = names_.try_emplace(text, 0);
        if (is_new) place->second = builder_.intern(trace_.text(text));
        return place->second;
    }

    void add_memory() {
        const std::span<const MemorySample> samples = trace_.memory();
        if (samples.empty() || !options_.gpu_streams) return;
        const auto by_device = [](const MemorySample& a, const MemorySample& b) { return a.device < b.device; };
        const std::int64_t device = std::min_element(samples.begin(), samples.end(), by_device)->device;
        std::vector<MemorySample> chosen;
        for (const MemorySample& sample : samples) {
            if (sample.device == device) chosen.push_back(sample);
        }
        std::stable_sort(chosen.begin(), chosen.end(),
                         [](const MemorySample& a, const MemorySample& b) { return a.time_ns < b.time_ns; });
        MemoryCurve curve;
        for (const MemorySample& sample : chosen) {
            curve.time_ns.push_back(sample.time_ns + options_.clock_offset_ns);
            curve.bytes.push_back(sample.allocated_bytes);
        }
        builder_.set_memory(std::move(curve));
    }

    const MeasuredTrace& trace_;
    const MeasuredEvents& events_;
    const MeasuredTimelineOptions& options_;
    TimelineBuilder builder_;
    std::map<std::uint32_t, StreamSummary> streams_;
    std::map<std::string, Device, std::less<>> devices_;
    std::map<LaneKey, std::vector<std::uint32_t>> lanes_;
    std::vector<std::uint32_t> activity_of_;
    std::unordered_map<StringId, std::uint32_t> names_;
};

}  // namespace

std::shared_ptr<const Timeline> measured_timeline(const MeasuredTrace& trace, const MeasuredTimelineOptions& options) {
    return MeasuredDrawing(trace, options).run();
}

}  // namespace overlap
