#include "core/job/links/link_network.h"

#include <algorithm>

namespace overlap::job {

LinkNetwork::LinkNetwork(std::span<const TopologyLevel> levels, std::int64_t ranks) {
    std::int64_t unit_ranks = 1;
    for (const TopologyLevel& given : levels) {
        Level& level = levels_.emplace_back();
        level.ranks = given.ranks;
        level.unit_ranks = unit_ranks;
        level.latency_ms = given.latency_ms;
        level.bytes_per_ms = given.bytes_per_s / 1e3;
        level.links = given.links;
        level.shared = given.shared;
        level.pooled = given.shared && given.oversubscription > 1;
        const std::size_t units = static_cast<std::size_t>((ranks + unit_ranks - 1) / unit_ranks);
        level.first = static_cast<LinkIndex>(bytes_per_ms_.size());
        if (level.shared)
            bytes_per_ms_.insert(bytes_per_ms_.end(), 2 * units * static_cast<std::size_t>(level.links),
                                 level.bytes_per_ms);
        level.first_pool = static_cast<LinkIndex>(bytes_per_ms_.size());
        if (level.pooled)
            bytes_per_ms_.insert(bytes_per_ms_.end(), 2 * units,
                                 static_cast<double>(level.links) * level.bytes_per_ms / given.oversubscription);
        unit_ranks = given.ranks;
    }
}

void LinkNetwork::cross(const Level& level, std::int64_t rank, bool up, std::vector<LinkIndex>& links) const {
    if (!level.shared) return;
    const std::int64_t unit = rank / level.unit_ranks;
    const std::int64_t link = unit * level.links + rank % level.unit_ranks * level.links / level.unit_ranks;
    links.push_back(level.first + static_cast<LinkIndex>(2 * link) + (up ? 0 : 1));
    if (level.pooled) links.push_back(level.first_pool + static_cast<LinkIndex>(2 * unit) + (up ? 0 : 1));
}

Route LinkNetwork::route(std::int64_t from, std::int64_t to) const {
    std::size_t crossed = 0;
    while (crossed + 1 < levels_.size() && from / levels_[crossed].ranks != to / levels_[crossed].ranks) ++crossed;
    Route route{levels_[crossed].latency_ms, levels_[crossed].bytes_per_ms, {}};
    for (std::size_t i = std::min<std::size_t>(crossed, 1); i <= crossed; ++i) {
        // Units that hold both are not left.
        if (from / levels_[i].unit_ranks == to / levels_[i].unit_ranks) continue;
        cross(levels_[i], from, true, route.links);
        cross(levels_[i], to, false, route.links);
    }
    return route;
}

}  // namespace overlap::job
