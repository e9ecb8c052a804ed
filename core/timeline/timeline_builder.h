#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/timeline/timeline.h"

namespace overlap {

/// One event as it is handed to the builder.
struct TimelineEvent {
    TimeRange time;          ///< an end before the start counts as the start
    std::uint32_t name = 0;  ///< from TimelineBuilder::intern()
    EventRole role = EventRole::compute;
    std::uint32_t reference = no_reference;
    std::int64_t exposed_ns = 0;  ///< how long compute waited during the event, as in Lane
    bool open_end = false;        ///< it never ends, and nothing of its lane comes behind `time`
};

/// What an event looks like, by what it represents.
struct ReferenceRole {
    std::uint32_t reference = no_reference;
    EventRole role = EventRole::compute;
};

/// Makes a Timeline. Events may come in any order and may overlap: what overlaps within a lane is put into further rows
/// below it, longer events first, so that nested calls look nested. finish() also builds the pyramids and the index by
/// reference; call it on a worker thread, not on the thread of the window.
class TimelineBuilder {
  public:
    TimelineBuilder();

    /// Number of `name`, added if it is new. The empty name is 0.
    std::uint32_t intern(std::string_view name);
    /// Number of the new lane, for add(). Lanes keep their order; a lane without events stays, as an empty row.
    std::uint32_t add_lane(LaneDescription description);
    void add(std::uint32_t lane, const TimelineEvent& event);
    /// Points that go back in time are dropped.
    void set_memory(MemoryCurve memory);
    /// Makes the timeline at least this long, so that two timelines can share an axis.
    void include(TimeRange range);

    /// The timeline; the builder is used up.
    std::shared_ptr<const Timeline> finish();

    /// A copy of a timeline in which all events of some references have other roles. None of these may be, or have
    /// been, `exposed`: pyramids know stalls.
    static std::shared_ptr<const Timeline> with_roles(const Timeline& timeline, std::span<const ReferenceRole> roles);

  private:
    struct Pending {
        LaneDescription description;
        std::vector<TimelineEvent> events;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };

    void append_rows(std::uint32_t group);
    void finish_range();
    void finish_index();

    std::shared_ptr<Timeline> timeline_;
    std::vector<Pending> pending_;
    std::vector<TimeRange> included_;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> name_ids_;
};

}  // namespace overlap
