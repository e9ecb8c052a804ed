#include "core/job/links/collective_flows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace overlap::job {

namespace {

using Members = std::span<const std::int64_t>;
/// Members of each unit of the innermost level.
using Units = std::vector<std::vector<std::int64_t>>;

Units units_of(Members members, std::span<const TopologyLevel> levels) {
    Units units;
    std::int64_t last = -1;
    for (const std::int64_t member : members) {
        const std::int64_t unit = levels.empty() ? 0 : member / levels.front().ranks;
        if (units.empty() || unit != last) units.emplace_back();
        units.back().push_back(member);
        last = unit;
    }
    return units;
}

/// How many members each unit holds; 0 where that differs.
std::size_t members_of_each(const Units& units) {
    for (const auto& unit : units)
        if (unit.size() != units.front().size()) return 0;
    return units.front().size();
}

/// Bytes that a member sends to the next in a ring of n, and the steps in which it does.
std::pair<double, std::int32_t> ring_load(std::string_view kind, std::size_t n, double bytes) {
    const auto steps = static_cast<std::int32_t>(n) - 1;
    if (kind == "broadcast" || kind == "reduce") return {bytes, steps};
    const double part = bytes * static_cast<double>(n - 1) / static_cast<double>(n);
    return kind == "all_reduce" ? std::pair(2 * part, 2 * steps) : std::pair(part, steps);
}

/// A broadcast begins at the first member and ends at the last; other rings are closed.
void add_ring(std::string_view kind, Members order, double bytes, FlowPhase& phase) {
    const bool open = kind == "broadcast" || kind == "reduce";
    for (std::size_t i = 0; i + (open ? 1 : 0) < order.size(); ++i)
        phase.flows.push_back({order[i], order[(i + 1) % order.size()], bytes});
}

FlowPhase rings(std::string_view kind, Members members, double bytes, const Units& units) {
    const auto [load, steps] = ring_load(kind, members.size(), bytes);
    FlowPhase phase;
    phase.steps = steps;
    const std::size_t count = units.size() > 1 ? std::max<std::size_t>(members_of_each(units), 1) : 1;
    if (count == 1) {
        add_ring(kind, members, load, phase);
        return phase;
    }
    std::vector<std::int64_t> order;
    for (std::size_t ring = 0; ring < count; ++ring) {
        order.clear();
        for (const auto& unit : units)
            for (std::size_t i = 0; i < count; ++i) order.push_back(unit[(ring + i) % count]);
        add_ring(kind, order, load / static_cast<double>(count), phase);
    }
    return phase;
}

/// The place above `i` in a binary tree in order over n places, whose odd places are leaves; the root is 0.
std::size_t place_above(std::size_t i, std::size_t n) {
    const std::size_t bit = i & (~i + 1);
    const std::size_t above = (i ^ bit) | (bit << 1);
    return above < n ? above : i ^ bit;
}

FlowPhase trees(std::string_view kind, Members members, double bytes) {
    const std::size_t n = members.size();
    const bool up = kind != "broadcast", down = kind != "reduce";
    const auto depth = static_cast<std::int32_t>(std::bit_width(n - 1));
    FlowPhase phase;
    phase.steps = depth * (up && down ? 2 : 1);
    for (const bool second : {false, true}) {
        // An even number of places is turned round, an odd one moved on, so that leaves of one are inside the other.
        const auto at = [&](std::size_t i) { return members[!second ? i : n % 2 == 0 ? n - 1 - i : (i + 1) % n]; };
        for (std::size_t i = 1; i < n; ++i) {
            const std::int64_t child = at(i), above = at(place_above(i, n));
            if (up) phase.flows.push_back({child, above, bytes / 2});
            if (down) phase.flows.push_back({above, child, bytes / 2});
        }
    }
    return phase;
}

std::vector<FlowPhase> hierarchy(std::string_view kind, double bytes, const Units& units) {
    const std::size_t each = units.front().size();
    const auto within = [&](std::string_view part) {
        FlowPhase phase;
        const auto [load, steps] = ring_load(part, each, bytes);
        phase.steps = steps;
        for (const auto& unit : units) add_ring(part, unit, load, phase);
        return phase;
    };
    FlowPhase between;
    const auto [load, steps] = ring_load(kind, units.size(), bytes / static_cast<double>(each));
    between.steps = steps;
    std::vector<std::int64_t> order;
    for (std::size_t place = 0; place < each; ++place) {
        order.clear();
        for (const auto& unit : units) order.push_back(unit[place]);
        add_ring(kind, order, load, between);
    }
    std::vector<FlowPhase> phases;
    if (kind != "all_gather") phases.push_back(within("reduce_scatter"));
    phases.push_back(std::move(between));
    if (kind != "reduce_scatter") phases.push_back(within("all_gather"));
    return phases;
}

}  // namespace

bool has_flows(std::string_view kind) {
    constexpr std::array<std::string_view, 6> kinds = {"all_reduce", "all_gather", "reduce_scatter",
                                                       "all_to_all", "broadcast",  "reduce"};
    return std::ranges::find(kinds, kind) != kinds.end();
}

std::vector<FlowPhase> collective_flows(std::string_view kind, CollectiveAlgorithm algorithm, Members members,
                                        double bytes, std::span<const TopologyLevel> levels,
                                        std::span<const double> share) {
    const std::size_t n = members.size();
    if (n < 2 || bytes <= 0) return {};
    if (kind == "all_to_all") {
        FlowPhase phase;
        for (const std::int64_t from : members)
            for (std::size_t to = 0; to < n; ++to)
                if (members[to] != from)
                    phase.flows.push_back(
                        {from, members[to], bytes / static_cast<double>(n) * (share.empty() ? 1 : share[to])});
        return {phase};
    }
    const bool reduces = kind == "all_reduce" || kind == "broadcast" || kind == "reduce";
    if (algorithm == CollectiveAlgorithm::tree && reduces) return {trees(kind, members, bytes)};
    const Units units = units_of(members, levels);
    const bool splits = kind == "all_reduce" || kind == "all_gather" || kind == "reduce_scatter";
    if (algorithm == CollectiveAlgorithm::hierarchical && splits && units.size() > 1 && members_of_each(units) > 1)
        return hierarchy(kind, bytes, units);
    return {rings(kind, members, bytes, units)};
}

}  // namespace overlap::job
