#include "core/timeline/timeline_builder.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace overlap {
namespace {

void append(Lane& lane, const TimelineEvent& event) {
    lane.start_ns.push_back(event.time.begin_ns);
    lane.end_ns.push_back(event.time.end_ns);
    lane.exposed_ns.push_back(std::clamp<std::int64_t>(event.exposed_ns, 0, event.time.length_ns()));
    lane.name.push_back(event.name);
    lane.role.push_back(event.role);
    lane.reference.push_back(event.reference);
    lane.open_end = event.open_end;
}

void reserve(Lane& lane, std::size_t count) {
    lane.start_ns.reserve(count);
    lane.end_ns.reserve(count);
    lane.exposed_ns.reserve(count);
    lane.name.reserve(count);
    lane.role.reserve(count);
    lane.reference.reserve(count);
}

}  // namespace

TimelineBuilder::TimelineBuilder() : timeline_(std::make_shared<Timeline>()) {
    intern({});
}

std::uint32_t TimelineBuilder::intern(std::string_view name) {
    if (const auto found = name_ids_.find(name); found != name_ids_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(timeline_->names_.size());
    timeline_->names_.emplace_back(name);
    name_ids_.emplace(name, id);
    return id;
}

std::uint32_t TimelineBuilder::add_lane(LaneDescription description) {
    pending_.push_back({std::move(description), {}});
    return static_cast<std::uint32_t>(pending_.size() - 1);
}

void TimelineBuilder::add(std::uint32_t lane, const TimelineEvent& event) {
    TimelineEvent& added = pending_[lane].events.emplace_back(event);
    added.time.end_ns = std::max(added.time.begin_ns, added.time.end_ns);
    timeline_->roles_ |= 1u << static_cast<std::uint32_t>(event.role);
}

void TimelineBuilder::set_memory(MemoryCurve memory) {
    MemoryCurve& kept = timeline_->memory_;
    kept = {};
    kept.layers.resize(memory.layers.size());
    for (std::size_t index = 0; index < std::min(memory.time_ns.size(), memory.bytes.size()); ++index) {
        if (!kept.empty() && memory.time_ns[index] < kept.time_ns.back()) continue;
        kept.time_ns.push_back(memory.time_ns[index]);
        kept.bytes.push_back(memory.bytes[index]);
        for (std::size_t layer = 0; layer < kept.layers.size(); ++layer)
            kept.layers[layer].push_back(memory.layers[layer][index]);
    }
    timeline_->memory_peak_ = kept.peak();
}

void TimelineBuilder::include(TimeRange range) {
    included_.push_back(range);
}

std::shared_ptr<const Timeline> TimelineBuilder::finish() {
    for (std::uint32_t group = 0; group < pending_.size(); ++group) append_rows(group);
    pending_.clear();
    for (const Lane& lane : timeline_->lanes_) timeline_->mips_.emplace_back(lane);
    finish_range();
    finish_index();
    return std::move(timeline_);
}

std::shared_ptr<const Timeline> TimelineBuilder::with_roles(const Timeline& timeline,
                                                            std::span<const ReferenceRole> roles) {
    auto changed = std::make_shared<Timeline>(timeline);
    for (const ReferenceRole& wanted : roles) {
        for (const Timeline::Occurrence& found : timeline.find(wanted.reference)) {
            changed->lanes_[found.location.lane].role[found.location.event] = wanted.role;
            changed->roles_ |= 1u << static_cast<std::uint32_t>(wanted.role);
        }
    }
    return changed;
}

void TimelineBuilder::append_rows(std::uint32_t group) {
    Pending& pending = pending_[group];
    std::vector<TimelineEvent>& events = pending.events;
    const auto in_order = [](const TimelineEvent& a, const TimelineEvent& b) {
        if (a.time.begin_ns != b.time.begin_ns) return a.time.begin_ns < b.time.begin_ns;
        return a.time.end_ns > b.time.end_ns;
    };
    const auto touching = [](const TimelineEvent& a, const TimelineEvent& b) {
        return a.time.end_ns <= b.time.begin_ns;  // in order and apart: one row takes them as they are
    };
    const bool apart = std::adjacent_find(events.begin(), events.end(), std::not_fn(touching)) == events.end();
    if (!apart) std::stable_sort(events.begin(), events.end(), in_order);

    std::vector<Lane> rows(1);
    reserve(rows[0], events.size());
    for (const TimelineEvent& event : events) {
        const auto free_row = std::find_if(rows.begin(), rows.end(), [&event](const Lane& row) {
            return row.empty() || row.end_ns.back() <= event.time.begin_ns;
        });
        append(free_row != rows.end() ? *free_row : rows.emplace_back(), event);
    }
    for (std::uint32_t depth = 0; depth < rows.size(); ++depth) {
        rows[depth].description = pending.description;
        rows[depth].group = group;
        rows[depth].depth = depth;
        timeline_->lanes_.push_back(std::move(rows[depth]));
    }
    events = {};
}

void TimelineBuilder::finish_range() {
    TimeRange range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    const auto extend = [&range](std::int64_t begin_ns, std::int64_t end_ns) {
        range = {std::min(range.begin_ns, begin_ns), std::max(range.end_ns, end_ns)};
    };
    for (const Lane& lane : timeline_->lanes_) {
        if (!lane.empty()) extend(lane.start_ns.front(), lane.end_ns.back());
    }
    const MemoryCurve& memory = timeline_->memory_;
    if (!memory.empty()) extend(memory.time_ns.front(), memory.time_ns.back());
    for (const TimeRange& included : included_) extend(included.begin_ns, included.end_ns);
    if (range.begin_ns > range.end_ns) range = {0, 1};
    if (range.length_ns() < 1) range.end_ns = range.begin_ns + 1;
    timeline_->range_ = range;
}

void TimelineBuilder::finish_index() {
    std::vector<Timeline::Occurrence>& occurrences = timeline_->occurrences_;
    for (std::uint32_t lane = 0; lane < timeline_->lanes_.size(); ++lane) {
        const Lane& row = timeline_->lanes_[lane];
        timeline_->event_count_ += row.size();
        for (std::uint32_t event = 0; event < row.size(); ++event) {
            if (row.reference[event] != no_reference) occurrences.push_back({row.reference[event], {lane, event}});
        }
    }
    const auto by_reference = [](const auto& a, const auto& b) { return a.reference < b.reference; };
    if (!std::is_sorted(occurrences.begin(), occurrences.end(), by_reference)) {
        std::stable_sort(occurrences.begin(), occurrences.end(), by_reference);
    }
}

}  // namespace overlap
