#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/operator_traits.h"
#include "core/graph/string_pool.h"
#include "core/timeline/lane.h"

namespace overlap {

/// An id that an event does not carry.
inline constexpr std::int64_t no_id = -1;
inline constexpr std::uint32_t no_index = 0xffffffffu;
/// Files round starts and durations to nanoseconds, each by itself. So an event may end this much after the beginning
/// of the next one on its stream without overlapping it.
inline constexpr std::int64_t rounding_ns = 1;

/// What a profiler's event records, from its category (`cat`), see libkineto's ActivityType.h.
enum class EventCategory : std::uint8_t {
    other,  ///< a category that is not among these, or none
    cpu_op,
    user_annotation,
    python_function,
    runtime,  ///< a call of the host to the GPU's runtime or driver
    kernel,
    gpu_memcpy,
    gpu_memset,
    gpu_user_annotation,
    synchronization,  ///< `cuda_sync`: a stream or the host waits; keeps no engine busy
};

EventCategory event_category(std::string_view name);

/// The events of a trace as columns, in the order of the file: number N is `traceEvents[N]`. Nothing is left out.
struct MeasuredEvents {
    std::vector<std::int64_t> start_ns;
    std::vector<std::int64_t> duration_ns;  ///< 0 for what has none
    std::vector<std::int64_t> id;         ///< flow events: flow id; calls and GPU events: correlation; else External id
    std::vector<std::uint64_t> offset;    ///< of the event's `{` in the uncompressed text, where its args are
    std::vector<StringId> name;           ///< MeasuredTrace::text()
    std::vector<std::uint32_t> track;     ///< MeasuredTrace::tracks()
    std::vector<std::uint16_t> category;  ///< MeasuredTrace::category_names()
    std::vector<char> phase;              ///< `ph`; 0 for an empty object

    std::uint32_t size() const { return static_cast<std::uint32_t>(start_ns.size()); }
    TimeRange range(std::uint32_t event) const { return {start_ns[event], start_ns[event] + duration_ns[event]}; }
    /// Whether the event lasts: complete (`X`) or begun (`B`), to which its end has been found.
    bool is_interval(std::uint32_t event) const { return phase[event] == 'X' || phase[event] == 'B'; }
};

/// A thread of the host or a stream of a GPU. A process and a GPU may have the same `pid`, so the side distinguishes
/// them.
struct MeasuredTrack {
    std::string process;  ///< `pid`: of a GPU its number
    std::string thread;   ///< `tid`: of a GPU the stream
    bool is_gpu = false;
    std::string process_name;  ///< as metadata events say; may be empty
    std::string thread_name;
    std::int64_t sort_index = 0;
};

/// What keeps a GPU busy.
enum class GpuWork : std::uint8_t {
    compute,
    communication,  ///< kernels and copies of collectives
    memory,         ///< copies and fills that belong to no collective
    waiting,        ///< synchronization; not busy
};

/// An event that ran on a GPU.
struct GpuActivity {
    std::uint32_t event = 0;
    std::uint32_t launch = no_index;      ///< event of the host's call with the same correlation
    std::uint32_t operation = no_index;   ///< event of the CPU operator that its External id names
    std::uint32_t collective = no_index;  ///< index into MeasuredTrace::collectives()
    std::int64_t external_id = no_id;
    GpuWork work = GpuWork::compute;
    bool has_stream = false;  ///< the args name a stream
};

/// A process group as traces describe it. Equal name and ranks on two ranks mean the same group.
struct MeasuredGroup {
    std::string name;
    std::string description;
    std::vector<std::int64_t> ranks;  ///< empty where neither the event nor `pg_config` says them
    std::int64_t size = 0;            ///< 0 where unknown
};

/// Where a collective's group and sizes were found.
enum class CollectiveSource : std::uint8_t {
    kernel,     ///< the GPU event's own args
    operation,  ///< the `record_param_comms` that launched it: copy-engine collectives have no args of their own
    stream,     ///< nothing says it; all others on its stream are of one group, so this one is: coalesced groups
    none,
};

/// One GPU event of a collective.
struct MeasuredCollective {
    std::uint32_t activity = 0;  ///< index into MeasuredTrace::activities()
    std::uint32_t group = no_index;
    CollectiveKind kind = CollectiveKind::none;
    CollectiveSource source = CollectiveSource::none;
    std::int64_t sequence = no_id;  ///< `Seq`; traces before March 2026 have none
    std::int64_t input_bytes = 0;   ///< 0 where unknown
    std::int64_t output_bytes = 0;
};

/// A step of the profiler's schedule (`ProfilerStep#N`), on the host.
struct MeasuredStep {
    std::string name;
    TimeRange host;
};

/// Bytes that the allocator holds, from `[memory]` events of a GPU.
struct MemorySample {
    std::int64_t time_ns = 0;
    std::int64_t device = 0;
    std::int64_t allocated_bytes = 0;
};

/// What is unusual in a trace, as counts. None of these events is left out.
struct TraceRemarks {
    std::uint64_t missing_durations = 0;       ///< complete events without `dur`, taken as 0
    std::uint64_t negative_durations = 0;      ///< taken as 0
    std::uint64_t unclosed_begins = 0;         ///< `B` without `E`, taken to last until the trace ends
    std::uint64_t unopened_ends = 0;           ///< `E` without `B`
    std::uint64_t not_understood = 0;          ///< phases that are kept but neither drawn nor summed, such as counters
    std::uint64_t unreadable_group_ranks = 0;  ///< `Process Group Ranks` that are elided or no list
    std::uint64_t overlapping_activities = 0;  ///< start on a stream before the one in front has ended, rounding apart
    std::uint64_t starts_before_launch = 0;    ///< GPU events that start before the call that launched them
    std::uint64_t activities_without_launch = 0;  ///< waits left out, as in GpuTimes::unmatched
    std::uint64_t launches_without_activity = 0;
};

/// What is outside the list of events.
struct TraceHeader {
    std::optional<std::int64_t> rank;
    std::optional<std::int64_t> world_size;
    std::string backend;
    std::vector<std::string> devices;   ///< names of the GPUs
    std::vector<MeasuredGroup> groups;  ///< `pg_config`
    std::int64_t base_ns = 0;           ///< `baseTimeNanoseconds`, which all start times include already
    bool is_simulated = false;          ///< a plan or a job was simulated and written as a trace; nothing was measured
    std::string members_json;           ///< an object of all top-level members but the events, as in the file
};

/// A measured trace of one process. Made by MeasuredTraceBuilder, immutable, shared between threads without locks.
class MeasuredTrace {
  public:
    const TraceHeader& header() const { return header_; }
    const MeasuredEvents& events() const { return events_; }
    std::string_view text(StringId id) const { return texts_.text(id); }
    std::string_view name(std::uint32_t event) const { return text(events_.name[event]); }
    std::span<const MeasuredTrack> tracks() const { return tracks_; }
    std::span<const std::string> category_names() const { return category_names_; }
    EventCategory category(std::uint32_t event) const { return categories_[events_.category[event]]; }

    /// In the order of events.
    std::span<const GpuActivity> activities() const { return activities_; }
    TimeRange range(const GpuActivity& activity) const { return events_.range(activity.event); }
    /// In the order of activities.
    std::span<const MeasuredCollective> collectives() const { return collectives_; }
    /// Groups of the collectives, and those of the header.
    std::span<const MeasuredGroup> groups() const { return groups_; }
    /// In order of time.
    std::span<const MeasuredStep> steps() const { return steps_; }
    std::span<const MemorySample> memory() const { return memory_; }
    const TraceRemarks& remarks() const { return remarks_; }

    /// Bytes that the trace holds for its events: columns, tables and texts.
    std::size_t bytes_kept() const;

  private:
    friend class MeasuredTraceBuilder;

    TraceHeader header_;
    MeasuredEvents events_;
    StringPool texts_;
    std::vector<MeasuredTrack> tracks_;
    std::vector<std::string> category_names_;
    std::vector<EventCategory> categories_;
    std::vector<GpuActivity> activities_;
    std::vector<MeasuredCollective> collectives_;
    std::vector<MeasuredGroup> groups_;
    std::vector<MeasuredStep> steps_;
    std::vector<MemorySample> memory_;
    TraceRemarks remarks_;
};

}  // namespace overlap
