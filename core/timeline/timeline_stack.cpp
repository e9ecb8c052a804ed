#include "core/timeline/timeline_stack.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/timeline/interval_union.h"
#include "core/timeline/timeline_builder.h"

namespace overlap {

namespace {

bool is_inside(TimeRange event, const std::optional<TimeRange>& only) {
    return !only || (event.begin_ns < only->end_ns && event.end_ns >= only->begin_ns);
}

class Stacking {
  public:
    void add(const TimelinePart& part) {
        const Timeline& timeline = *part.timeline;
        std::vector<std::uint32_t> names(timeline.name_count());
        for (std::uint32_t name = 0; name < names.size(); ++name) names[name] = builder_.intern(timeline.name(name));
        std::map<const IntervalUnion*, std::shared_ptr<const IntervalUnion>> computing;
        const std::uint32_t first_device = devices_;
        std::uint32_t lane = 0;
        for (const Lane& row : timeline.lanes()) {
            // Rows below the first are of the same lane; the builder makes them again.
            if (row.depth == 0) {
                LaneDescription description = row.description;
                description.title.insert(0, part.prefix);
                description.device += first_device;
                devices_ = std::max(devices_, description.device + 1);
                if (description.computing) {
                    auto& moved = computing[description.computing.get()];
                    if (!moved)
                        moved = std::make_shared<const IntervalUnion>(shifted(*description.computing, part.offset_ns));
                    description.computing = moved;
                }
                lane = builder_.add_lane(std::move(description));
            }
            add_events(part, row, lane, names);
        }
        builder_.include(shifted(part.only.value_or(timeline.range()), part.offset_ns));
        if (!has_memory_ && !timeline.memory().empty()) add_memory(part);
    }

    std::shared_ptr<const Timeline> finish() { return builder_.finish(); }

  private:
    void add_events(const TimelinePart& part, const Lane& row, std::uint32_t lane,
                    const std::vector<std::uint32_t>& names) {
        for (std::uint32_t index = 0; index < row.size(); ++index) {
            if (!is_inside(row.event(index), part.only)) continue;
            TimelineEvent event;
            event.time = shifted(row.event(index), part.offset_ns);
            event.name = names[row.name[index]];
            event.role = row.role[index];
            event.exposed_ns = row.exposed_ns[index];
            event.open_end = row.is_open_ended(index);
            if (row.reference[index] != no_reference) event.reference = row.reference[index] + part.first_reference;
            builder_.add(lane, event);
        }
    }

    void add_memory(const TimelinePart& part) {
        const MemoryCurve& memory = part.timeline->memory();
        MemoryCurve curve;
        curve.layers.resize(memory.layers.size());
        for (std::size_t point = 0; point < memory.time_ns.size(); ++point) {
            const TimeRange moment{memory.time_ns[point], memory.time_ns[point]};
            if (!is_inside(moment, part.only)) continue;
            curve.time_ns.push_back(moment.begin_ns + part.offset_ns);
            curve.bytes.push_back(memory.bytes[point]);
            for (std::size_t layer = 0; layer < curve.layers.size(); ++layer)
                curve.layers[layer].push_back(memory.layers[layer][point]);
        }
        has_memory_ = !curve.empty();
        builder_.set_memory(std::move(curve));
    }

    TimelineBuilder builder_;
    bool has_memory_ = false;
    std::uint32_t devices_ = 0;  ///< so far: those of different parts are different ones
};

}  // namespace

std::shared_ptr<const Timeline> stack_timelines(std::span<const TimelinePart> parts) {
    Stacking stacking;
    for (const TimelinePart& part : parts) stacking.add(part);
    return stacking.finish();
}

}  // namespace overlap
