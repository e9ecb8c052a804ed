#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/trace/measured_trace.h"

namespace overlap {

/// Args of a collective, on a kernel or on its `record_param_comms`. Texts are of the trace's pool.
struct CollectiveArguments {
    std::uint32_t event = 0;
    StringId name = empty_string;  ///< `Collective name`
    StringId dtype = empty_string;
    StringId group_name = empty_string;
    StringId group_description = empty_string;
    StringId group_ranks = empty_string;
    std::int64_t group_size = 0;
    std::int64_t input_elements = 0;
    std::int64_t output_elements = 0;
    std::int64_t sequence = no_id;
};

/// One entry of `traceEvents`, as a reader hands it over. Texts need to live no longer than the call.
struct TraceEvent {
    char phase = 0;
    std::string_view category, name, process, thread;
    std::optional<std::int64_t> start_ns;
    std::optional<std::int64_t> duration_ns;
    std::int64_t flow = no_id;
    std::int64_t correlation = no_id;
    std::int64_t external_id = no_id;
    bool has_stream = false;
    std::uint64_t offset = 0;
    std::string_view label;                  ///< `name` in the args of a metadata event
    std::optional<std::int64_t> sort_index;  ///< the same
    std::optional<MemorySample> memory;      ///< its time is the event's
    std::optional<CollectiveArguments> collective;
};

/// Makes a MeasuredTrace from events in any order of time.
class MeasuredTraceBuilder {
  public:
    MeasuredTraceBuilder();

    void reserve(std::size_t events);
    /// For the texts of CollectiveArguments.
    StringId intern(std::string_view text) { return trace_->texts_.intern(text); }
    std::uint32_t size() const { return trace_->events_.size(); }  ///< events so far
    /// @throws InputError without a place: an event without a start, times beyond 95 years, durations beyond three,
    /// more than 2^32 - 2 events or 2^16 categories.
    void add(const TraceEvent& event);
    /// Finds ends of begun events, launches, operators, collectives and steps. The builder is used up.
    /// @param between called between parts of the work, of which each takes a fraction of a second for the largest
    /// traces; it may throw to end it.
    std::shared_ptr<const MeasuredTrace> finish(
        TraceHeader header, const std::function<void()>& between = [] {});

    /// The greatest time, either side of zero, that is taken for a start or a base.
    static constexpr std::int64_t greatest_time_ns = 3'000'000'000'000'000'000;
    /// The longest that an event may last, and the furthest before 1970 that one may start.
    static constexpr std::int64_t greatest_duration_ns = 100'000'000'000'000'000;

  private:
    std::uint16_t category_of(std::string_view name);
    std::uint32_t track_of(const TraceEvent& event, bool is_gpu);
    void note_metadata(const TraceEvent& event);
    void move_to_base(std::int64_t base_ns);
    void close_begun_events();
    void name_tracks();
    void find_steps();
    void count_overlaps();

    std::shared_ptr<MeasuredTrace> trace_;
    StringPool category_ids_, track_ids_;
    std::string track_key_;
    std::uint32_t last_track_ = no_index;
    std::vector<CollectiveArguments> arguments_;
    std::unordered_map<std::string, std::string> process_names_, thread_names_;
    std::unordered_map<std::string, std::int64_t> sort_indices_;
};

}  // namespace overlap
