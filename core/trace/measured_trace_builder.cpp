#include "core/trace/measured_trace_builder.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/trace/measured_links.h"

namespace overlap {

namespace {

constexpr std::size_t most_categories = 0xffff;

bool runs_on_gpu(EventCategory category) {
    using enum EventCategory;
    return category == kernel || category == gpu_memcpy || category == gpu_memset || category == synchronization;
}

bool in_bounds(std::int64_t time_ns) {
    return time_ns >= -MeasuredTraceBuilder::greatest_time_ns && time_ns <= MeasuredTraceBuilder::greatest_time_ns;
}

bool is_flow(char phase) {
    return phase == 's' || phase == 't' || phase == 'f';
}

/// Phases that are understood: complete, begin, end, instants of both spellings, metadata, flows; 0 is `{}`.
bool is_understood(char phase) {
    return phase == 0 || std::string_view("XBEiIMstf").find(phase) != std::string_view::npos;
}

std::string track_key(std::string_view process, std::string_view thread) {
    std::string key(process);
    key += '\0';
    return key += thread;
}

}  // namespace

MeasuredTraceBuilder::MeasuredTraceBuilder() : trace_(std::make_shared<MeasuredTrace>()) {
    trace_->category_names_.emplace_back();
    trace_->categories_.push_back(EventCategory::other);
}

void MeasuredTraceBuilder::reserve(std::size_t count) {
    MeasuredEvents& events = trace_->events_;
    events.start_ns.reserve(count);
    events.duration_ns.reserve(count);
    events.id.reserve(count);
    events.offset.reserve(count);
    events.name.reserve(count);
    events.track.reserve(count);
    events.category.reserve(count);
    events.phase.reserve(count);
}

std::uint16_t MeasuredTraceBuilder::category_of(std::string_view name) {
    const StringId id = category_ids_.intern(name);
    if (id == trace_->categories_.size()) {
        if (id >= most_categories) throw InputError("", "it has more than 65,535 categories of events");
        trace_->category_names_.emplace_back(name);
        trace_->categories_.push_back(event_category(name));
    }
    return static_cast<std::uint16_t>(id);
}

std::uint32_t MeasuredTraceBuilder::track_of(const TraceEvent& event, bool is_gpu) {
    std::vector<MeasuredTrack>& tracks = trace_->tracks_;
    if (last_track_ != no_index) {
        const MeasuredTrack& last = tracks[last_track_];
        if (last.is_gpu == is_gpu && last.thread == event.thread && last.process == event.process) return last_track_;
    }
    track_key_.assign(1, is_gpu ? 'g' : 'h');
    track_key_ += event.process;
    track_key_ += '\0';
    track_key_ += event.thread;
    last_track_ = track_ids_.intern(track_key_) - 1;  // the pool's own first text is the empty one
    if (last_track_ == tracks.size()) {
        MeasuredTrack& added = tracks.emplace_back();
        added.process = event.process;
        added.thread = event.thread;
        added.is_gpu = is_gpu;
    }
    return last_track_;
}

void MeasuredTraceBuilder::note_metadata(const TraceEvent& event) {
    if (event.name == "process_name") process_names_[std::string(event.process)] = event.label;
    if (event.name == "thread_name") thread_names_[track_key(event.process, event.thread)] = event.label;
    if (event.name == "thread_sort_index" && event.sort_index) {
        sort_indices_[track_key(event.process, event.thread)] = *event.sort_index;
    }
}

void MeasuredTraceBuilder::add(const TraceEvent& event) {
    MeasuredEvents& events = trace_->events_;
    const std::uint32_t number = events.size();
    if (number >= no_event - 1) throw InputError("", "it has more than 4,294,967,293 events");
    const bool needs_start = event.phase != 'M' && event.phase != 0;
    if (needs_start && !event.start_ns) throw InputError("", "\"ts\" is missing");
    const std::int64_t start_ns = event.start_ns.value_or(0);
    std::int64_t duration_ns = event.duration_ns.value_or(0);
    if (!in_bounds(start_ns)) throw InputError("", "its time is more than 95 years from zero");
    if (duration_ns > greatest_duration_ns) throw InputError("", "it lasts for more than three years");
    TraceRemarks& remarks = trace_->remarks_;
    if (event.phase == 'X' && !event.duration_ns) ++remarks.missing_durations;
    if (duration_ns < 0) ++remarks.negative_durations;
    if (!is_understood(event.phase)) ++remarks.not_understood;

    const std::uint16_t category_id = category_of(event.category);
    const EventCategory category = trace_->categories_[category_id];
    const bool on_gpu = runs_on_gpu(category) && !is_flow(event.phase);
    const bool has_correlation = on_gpu || category == EventCategory::runtime;
    events.start_ns.push_back(start_ns);
    events.duration_ns.push_back(std::max<std::int64_t>(duration_ns, 0));
    events.id.push_back(is_flow(event.phase) ? event.flow : has_correlation ? event.correlation : event.external_id);
    events.offset.push_back(event.offset);
    events.name.push_back(intern(event.name));
    events.track.push_back(track_of(event, on_gpu || category == EventCategory::gpu_user_annotation));
    events.category.push_back(category_id);
    events.phase.push_back(event.phase);

    if (event.phase == 'M') note_metadata(event);
    if (on_gpu && events.is_interval(number)) {
        GpuActivity& activity = trace_->activities_.emplace_back();
        activity.event = number;
        activity.external_id = event.external_id;
        activity.has_stream = event.has_stream;
    }
    if (event.memory) {
        trace_->memory_.push_back(*event.memory);
        trace_->memory_.back().time_ns = start_ns;
    }
    if (event.collective) {
        arguments_.push_back(*event.collective);
        arguments_.back().event = number;
    }
}

void MeasuredTraceBuilder::move_to_base(std::int64_t base_ns) {
    // Bounds that let any two times be subtracted, and the difference be added to a third.
    constexpr std::int64_t earliest_ns = -greatest_duration_ns;
    constexpr std::int64_t latest_ns = greatest_time_ns - greatest_duration_ns;
    std::vector<std::int64_t>& starts_ns = trace_->events_.start_ns;
    for (std::size_t event = 0; event < starts_ns.size(); ++event) {
        starts_ns[event] += base_ns;
        if (starts_ns[event] < earliest_ns || starts_ns[event] > latest_ns) {
            throw InputError("traceEvents[" + std::to_string(event) + "]",
                             "with baseTimeNanoseconds its time lies before 1967 or after 2061");
        }
    }
    for (MemorySample& sample : trace_->memory_) sample.time_ns += base_ns;
}

void MeasuredTraceBuilder::close_begun_events() {
    MeasuredEvents& events = trace_->events_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_track;
    std::int64_t last_ns = 0;
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (events.phase[event] == 'B' || events.phase[event] == 'E') by_track[events.track[event]].push_back(event);
        last_ns = std::max(last_ns, events.range(event).end_ns);
    }
    for (auto& [track, ends] : by_track) {
        std::stable_sort(ends.begin(), ends.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return events.start_ns[a] < events.start_ns[b]; });
        std::vector<std::uint32_t> open;
        for (const std::uint32_t event : ends) {
            if (events.phase[event] == 'B') {
                open.push_back(event);
            } else if (open.empty()) {
                ++trace_->remarks_.unopened_ends;
            } else {
                events.duration_ns[open.back()] = events.start_ns[event] - events.start_ns[open.back()];
                open.pop_back();
            }
        }
        trace_->remarks_.unclosed_begins += open.size();
        for (const std::uint32_t event : open) events.duration_ns[event] = last_ns - events.start_ns[event];
    }
}

void MeasuredTraceBuilder::name_tracks() {
    for (MeasuredTrack& track : trace_->tracks_) {
        if (const auto found = process_names_.find(track.process); found != process_names_.end()) {
            track.process_name = found->second;
        }
        const std::string key = track_key(track.process, track.thread);
        if (const auto found = thread_names_.find(key); found != thread_names_.end()) track.thread_name = found->second;
        if (const auto found = sort_indices_.find(key); found != sort_indices_.end()) track.sort_index = found->second;
    }
}

void MeasuredTraceBuilder::find_steps() {
    const MeasuredEvents& events = trace_->events_;
    std::map<StringId, TimeRange> ranges;  // several threads may note the same step
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (!events.is_interval(event) || trace_->category(event) != EventCategory::user_annotation) continue;
        if (!trace_->name(event).starts_with("ProfilerStep#")) continue;
        const TimeRange range = events.range(event);
        const auto [place, is_new] = ranges.try_emplace(events.name[event], range);
        place->second.begin_ns = std::min(place->second.begin_ns, range.begin_ns);
        place->second.end_ns = std::max(place->second.end_ns, range.end_ns);
    }
    for (const auto& [name, range] : ranges) trace_->steps_.push_back({std::string(trace_->text(name)), range});
    std::sort(trace_->steps_.begin(), trace_->steps_.end(),
              [](const MeasuredStep& a, const MeasuredStep& b) { return a.host.begin_ns < b.host.begin_ns; });
}

void MeasuredTraceBuilder::count_overlaps() {
    std::map<std::uint32_t, std::vector<TimeRange>> by_track;
    for (const GpuActivity& activity : trace_->activities_) {
        if (activity.work == GpuWork::waiting) continue;  // a wait lasts beside what it waits for
        by_track[trace_->events_.track[activity.event]].push_back(trace_->range(activity));
    }
    for (auto& [track, ranges] : by_track) {
        std::sort(ranges.begin(), ranges.end(), [](TimeRange a, TimeRange b) { return a.begin_ns < b.begin_ns; });
        std::int64_t end_ns = ranges.front().begin_ns;
        for (const TimeRange range : ranges) {
            trace_->remarks_.overlapping_activities += range.begin_ns + rounding_ns < end_ns ? 1 : 0;
            end_ns = std::max(end_ns, range.end_ns);
        }
    }
}

std::shared_ptr<const MeasuredTrace> MeasuredTraceBuilder::finish(TraceHeader header,
                                                                  const std::function<void()>& between) {
    if (!in_bounds(header.base_ns)) {
        throw InputError("baseTimeNanoseconds", "it is more than 95 years from zero");
    }
    MeasuredEvents& events = trace_->events_;
    move_to_base(header.base_ns);
    between();
    trace_->header_ = std::move(header);
    close_begun_events();
    between();
    name_tracks();
    find_steps();
    between();
    link_launches(*trace_, trace_->activities_, trace_->remarks_, between);
    CollectiveTables tables = find_collectives(*trace_, arguments_, trace_->activities_, between);
    trace_->collectives_ = std::move(tables.collectives);
    trace_->groups_ = std::move(tables.groups);
    trace_->remarks_.unreadable_group_ranks = tables.unreadable_group_ranks;
    between();
    count_overlaps();
    between();

    events.start_ns.shrink_to_fit();
    events.duration_ns.shrink_to_fit();
    events.id.shrink_to_fit();
    between();
    events.offset.shrink_to_fit();
    events.name.shrink_to_fit();
    events.track.shrink_to_fit();
    between();
    events.category.shrink_to_fit();
    events.phase.shrink_to_fit();
    trace_->activities_.shrink_to_fit();
    trace_->memory_.shrink_to_fit();
    return std::move(trace_);
}

}  // namespace overlap
