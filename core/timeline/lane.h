#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace overlap {

/// A half-open span of time.
struct TimeRange {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;

    std::int64_t length_ns() const { return end_ns - begin_ns; }
    bool operator==(const TimeRange&) const = default;
};

/// Simulated times as timelines have them.
inline std::int64_t nanoseconds(double time_ms) {
    return std::llround(time_ms * 1e6);
}

/// Time for which both spans hold; 0 when they are apart.
inline std::int64_t overlap_ns(TimeRange a, TimeRange b) {
    return std::max<std::int64_t>(0, std::min(a.end_ns, b.end_ns) - std::max(a.begin_ns, b.begin_ns));
}

/// The span that much later.
inline TimeRange shifted(TimeRange range, std::int64_t offset_ns) {
    return {range.begin_ns + offset_ns, range.end_ns + offset_ns};
}

/// What an event is, which decides how it is drawn. A role rather than a colour: the palette belongs to the theme.
enum class EventRole : std::uint8_t {
    idle,      ///< known to do nothing
    compute,   ///< compute that belongs to no bucket
    bucket_0,  ///< belongs to a bucket; eight hues in turn, see bucket_role()
    bucket_1,
    bucket_2,
    bucket_3,
    bucket_4,
    bucket_5,
    bucket_6,
    bucket_7,
    exposed,     ///< the compute stream waits for communication; drawn hatched
    hidden,      ///< communication that costs nothing
    unbucketed,  ///< communication that belongs to no bucket
    first_half,  ///< of a batch that is halved, compute or communication
    second_half,
    deep_bucket_0,  ///< the hues of buckets in a deep tone: what comes back for the same, such as a backward
    deep_bucket_1,
    deep_bucket_2,
    deep_bucket_3,
    deep_bucket_4,
    deep_bucket_5,
    deep_bucket_6,
    deep_bucket_7,
};
inline constexpr std::size_t event_role_count = 23;
inline constexpr std::uint32_t bucket_hue_count = 8;

/// The role of the plan's bucket number `bucket`; hues repeat after eight.
constexpr EventRole bucket_role(std::uint32_t bucket) {
    return static_cast<EventRole>(static_cast<std::uint32_t>(EventRole::bucket_0) + bucket % bucket_hue_count);
}

/// The same hue in its deep tone.
constexpr EventRole deep_bucket_role(std::uint32_t bucket) {
    return static_cast<EventRole>(static_cast<std::uint32_t>(EventRole::deep_bucket_0) + bucket % bucket_hue_count);
}

enum class LaneKind : std::uint8_t {
    compute,        ///< the compute stream
    process_group,  ///< the stream of one process group
    other,          ///< anything else, such as a measured stream
};

/// An event that refers to nothing that could be selected.
inline constexpr std::uint32_t no_reference = 0xffffffffu;
inline constexpr std::uint32_t no_event = 0xffffffffu;

class IntervalUnion;

/// How a lane presents itself, and whose it is.
struct LaneDescription {
    std::string title;     ///< "Compute", "FSDP"
    std::string subtitle;  ///< "876.4 ms", "64 ranks"
    LaneKind kind = LaneKind::other;
    EventRole role = EventRole::compute;  ///< the small colour bar beside the title
    std::uint32_t device = 0;             ///< lanes of one GPU have the same number
    /// When that GPU computed, where this was measured: communication beside it is hidden, the rest exposed. Null where
    /// stalls are events of their own (EventRole::exposed), and collectives are exposed at their end.
    std::shared_ptr<const IntervalUnion> computing = nullptr;
};

/// One row of intervals that do not overlap, as columns in order of time. Both start_ns and end_ns ascend, so either
/// can be searched by bisection. Made by TimelineBuilder and immutable from then on.
class Lane {
  public:
    LaneDescription description;
    std::uint32_t group = 0;  ///< the builder's lane that this one belongs to
    std::uint32_t depth = 0;  ///< 0 for the first row of that lane, above for what overlapped

    std::vector<std::int64_t> start_ns;
    std::vector<std::int64_t> end_ns;
    std::vector<std::int64_t> exposed_ns;  ///< how long compute waited during the event; often 0
    std::vector<std::uint32_t> name;       ///< index into the timeline's names
    std::vector<EventRole> role;
    std::vector<std::uint32_t> reference;  ///< opaque number of what the event represents, such as a graph node
    bool open_end = false;                 ///< the last event never ends, and is drawn as long as the timeline is

    std::uint32_t size() const { return static_cast<std::uint32_t>(start_ns.size()); }
    bool empty() const { return start_ns.empty(); }
    TimeRange event(std::uint32_t index) const { return {start_ns[index], end_ns[index]}; }
    bool is_open_ended(std::uint32_t index) const { return open_end && index + 1 == size(); }

    /// First event that ends after `time_ns`; size() if there is none.
    std::uint32_t first_ending_after(std::int64_t time_ns) const;
    /// The same, searched forward from `hint` in steps that double: cheap when the answer is near.
    std::uint32_t first_ending_after(std::int64_t time_ns, std::uint32_t hint) const {
        // Most answers are a few events away; reading on is faster than jumping there.
        const std::uint32_t near = std::min(size(), hint + 8);
        for (std::uint32_t index = hint; index < near; ++index) {
            if (end_ns[index] > time_ns) return index;
        }
        return gallop(time_ns, near);
    }
    /// A lane of these events only. `events` ascends.
    Lane subset(std::span<const std::uint32_t> events) const;

  private:
    std::uint32_t gallop(std::int64_t time_ns, std::uint32_t from) const;
};

}  // namespace overlap
