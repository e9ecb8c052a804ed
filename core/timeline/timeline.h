#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/timeline/lane.h"
#include "core/timeline/lane_mip.h"

namespace overlap {

/// Memory held over time: `bytes[i]` from `time_ns[i]` until the next point. `time_ns` ascends.
struct MemoryCurve {
    std::vector<std::int64_t> time_ns;
    std::vector<std::int64_t> bytes;
    /// What the bytes consist of, stacked: for each kind the height of it and all before it, at every point. The last
    /// is `bytes`. Empty where the kinds are not known.
    std::vector<std::vector<std::int64_t>> layers{};

    bool empty() const { return time_ns.empty(); }
    /// Index of the first highest point. The curve must not be empty.
    std::size_t peak() const;
};

/// Where an event lies.
struct EventLocation {
    std::uint32_t lane = 0;
    std::uint32_t event = no_event;

    bool valid() const { return event != no_event; }
    bool operator==(const EventLocation&) const = default;
};

/// Everything that a timeline view shows of one step: lanes, each with its pyramid, the memory curve and the names.
/// Made by TimelineBuilder, immutable, shared between threads and views without locks.
class Timeline {
  public:
    std::span<const Lane> lanes() const { return lanes_; }
    const LaneMip& mip(std::uint32_t lane) const { return mips_[lane]; }
    const MemoryCurve& memory() const { return memory_; }
    /// MemoryCurve::peak() of it, found once: painting asks again and again. 0 where there is no curve.
    std::size_t memory_peak() const { return memory_peak_; }
    /// From the first event or point of memory to the last; never shorter than 1 ns.
    TimeRange range() const { return range_; }
    /// False where all events are at one moment, because nothing says how long anything takes.
    bool has_times() const { return range_.length_ns() > 1; }
    std::string_view name(std::uint32_t index) const { return names_[index]; }
    std::uint32_t name_count() const { return static_cast<std::uint32_t>(names_.size()); }
    std::string_view event_name(EventLocation location) const;
    std::uint32_t reference(EventLocation location) const;
    TimeRange event(EventLocation location) const { return lanes_[location.lane].event(location.event); }
    /// Whether the event never ends: its length is that of the drawing, and nothing to tell.
    bool is_open_ended(EventLocation location) const { return lanes_[location.lane].is_open_ended(location.event); }
    /// How long compute stood still for an event. That may be longer than the event: its stream may have been busy with
    /// others when compute began to wait. The lane has what lies beside the event, which is drawn.
    std::int64_t exposed_ns(EventLocation location) const;
    std::size_t event_count() const { return event_count_; }
    /// Whether any event has this role.
    bool has_role(EventRole role) const { return (roles_ >> static_cast<std::uint32_t>(role) & 1u) != 0; }

    /// One event of what `reference` represents; there may be several, such as a collective and the stall it causes.
    struct Occurrence {
        std::uint32_t reference = no_reference;
        EventLocation location;
    };
    /// All events of `reference`, in order of lanes, then of time. Empty for no_reference.
    std::span<const Occurrence> find(std::uint32_t reference) const;

  private:
    friend class TimelineBuilder;

    std::vector<Lane> lanes_;
    std::vector<LaneMip> mips_;
    MemoryCurve memory_;
    std::size_t memory_peak_ = 0;
    TimeRange range_{0, 1};
    std::vector<std::string> names_;
    std::vector<Occurrence> occurrences_;
    std::size_t event_count_ = 0;
    std::uint32_t roles_ = 0;  ///< a bit for each role
};

}  // namespace overlap
