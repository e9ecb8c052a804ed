#include "core/job/links/max_min.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace overlap::job {

namespace {

/// Shares that differ by less come from sums in another order, and are one.
constexpr double same_share = 1 + 1e-12;

}  // namespace

void MaxMin::share(std::span<SharingFlow> flows) {
    used_.clear();
    for (const SharingFlow& flow : flows) {
        for (const LinkIndex link : flow.links) {
            if (links_[link].flows++ == 0) {
                links_[link].left = capacity_[link];
                used_.push_back(link);
            }
        }
    }
    open_.resize(flows.size());
    std::iota(open_.begin(), open_.end(), 0u);
    const auto share_of = [&](LinkIndex link) { return links_[link].left / links_[link].flows; };
    while (!open_.empty()) {
        double least = std::numeric_limits<double>::infinity();
        std::erase_if(used_, [&](LinkIndex link) { return links_[link].flows == 0; });
        for (const LinkIndex link : used_) least = std::min(least, share_of(link));
        for (const std::uint32_t i : open_) least = std::min(least, flows[i].most_bytes_per_ms);
        least = std::max(least, 0.0);
        // Those that are full are found before any of them is given away.
        const auto is_full = [&](const SharingFlow& flow) {
            if (flow.most_bytes_per_ms <= least * same_share) return true;
            return std::ranges::any_of(flow.links,
                                       [&](LinkIndex link) { return share_of(link) <= least * same_share; });
        };
        const auto first_full =
            std::stable_partition(open_.begin(), open_.end(), [&](std::uint32_t i) { return !is_full(flows[i]); });
        for (auto i = first_full; i != open_.end(); ++i) {
            flows[*i].bytes_per_ms = std::min(least, flows[*i].most_bytes_per_ms);
            for (const LinkIndex link : flows[*i].links) {
                links_[link].left = std::max(0.0, links_[link].left - flows[*i].bytes_per_ms);
                --links_[link].flows;
            }
        }
        open_.erase(first_full, open_.end());
    }
}

}  // namespace overlap::job
