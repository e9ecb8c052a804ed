#include "core/job/view/measured_lanes.h"

#include <algorithm>
#include <map>
#include <string>

namespace overlap::job {

namespace {

using Kind = MeasuredSpan::Kind;

EventRole role_of(const MeasuredSpan& span) {
    switch (span.kind) {
        case Kind::action: {
            const auto hue = static_cast<std::uint32_t>(std::max(0, span.action.microbatch));
            // What a send or a receive computes has no hue, as in what is predicted.
            if (span.action.microbatch < 0 || !is_compute(span.action.kind)) return EventRole::compute;
            return span.action.kind == ActionKind::forward ? bucket_role(hue) : deep_bucket_role(hue);
        }
        case Kind::compute:
            return EventRole::compute;
        case Kind::communication:
            return EventRole::unbucketed;
        case Kind::transfer:
            return EventRole::exposed;
        default:
            return EventRole::idle;
    }
}

std::string text_of(const MeasuredSpan& span) {
    return span.kind == Kind::waiting ? std::string("waits for ").append(span.name) : span.name;
}

}  // namespace

void MeasuredLanes::add(TimelineBuilder& builder, std::uint32_t lane, std::size_t span) const {
    const MeasuredSpan& of = measured_.spans[span];
    TimelineEvent event;
    event.time = of.time;
    event.name = builder.intern(text_of(of));
    event.role = role_of(of);
    event.reference = first_reference_ + static_cast<std::uint32_t>(span);
    // As predicted ones are: waiting hatched as a whole.
    event.exposed_ns = of.kind == Kind::waiting ? of.time.length_ns() : of.exposed_ns;
    builder.add(lane, event);
}

void MeasuredLanes::add_compute(TimelineBuilder& builder, std::size_t row) const {
    std::map<std::uint32_t, std::uint32_t> lanes;
    for (std::uint32_t rank = 0; rank < measured_.ranks.size(); ++rank)
        if (measured_.ranks[rank].left_out.empty() && measured_.ranks[rank].figures == row)
            lanes[rank] =
                builder.add_lane({"measured " + measured_.rank_name(rank), "", LaneKind::compute, EventRole::compute});
    for (std::size_t i = 0; i < measured_.spans.size(); ++i)
        if (const auto lane = lanes.find(measured_.spans[i].rank);
            lane != lanes.end() && measured_.spans[i].kind != Kind::communication)
            add(builder, lane->second, i);
}

void MeasuredLanes::add_communication(TimelineBuilder& builder, std::size_t row) const {
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> lanes;
    for (std::size_t i = 0; i < measured_.spans.size(); ++i) {
        const MeasuredSpan& span = measured_.spans[i];
        if (span.kind != Kind::communication || measured_.ranks[span.rank].figures != row) continue;
        const auto [lane, first] = lanes.emplace(std::pair(span.rank, span.name), 0);
        if (first)
            lane->second = builder.add_lane({span.name, "measured " + measured_.rank_name(span.rank),
                                             LaneKind::process_group, EventRole::unbucketed});
        add(builder, lane->second, i);
    }
}

}  // namespace overlap::job
