#include "core/timeline/lane_mip.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace overlap {
namespace {

/// A bucket while the pyramid is built: exact sums, and the event that reaches over the bucket's right edge, without
/// which a parent would miss an event that lies half in either child.
struct Sum {
    std::uint32_t dominant = no_event;
    std::uint32_t straddler = no_event;
    std::uint32_t count = 0;
    std::int64_t busy_ns = 0;
    std::int64_t longest_ns = 0;  ///< the dominant event's overlap
    std::int64_t exposed_ns = 0;
};

/// When an event is exposed.
TimeRange exposed_part(const Lane& lane, std::uint32_t event) {
    if (lane.role[event] == EventRole::exposed) return lane.event(event);
    return {lane.end_ns[event] - lane.exposed_ns[event], lane.end_ns[event]};
}

/// `part` of `whole` in 1/255, rounded up: 0 only for nothing.
std::uint8_t share_of(std::int64_t part_ns, std::int64_t whole_ns) {
    if (part_ns <= 0) return 0;
    return static_cast<std::uint8_t>(
        std::min(255.0, 255.0 * static_cast<double>(part_ns) / static_cast<double>(whole_ns) + 0.999));
}

/// The same, to the nearest, of something that need not be shown at all.
std::uint8_t nearest_share_of(std::int64_t part_ns, std::int64_t whole_ns) {
    return static_cast<std::uint8_t>(
        std::clamp(255.0 * static_cast<double>(part_ns) / static_cast<double>(whole_ns) + 0.5, 0.0, 255.0));
}

LaneMip::Bucket quantised(const Sum& sum, std::int64_t bucket_ns) {
    LaneMip::Bucket bucket;
    bucket.dominant = sum.dominant;
    bucket.count =
        static_cast<std::uint8_t>(std::min<std::uint32_t>(sum.count, std::numeric_limits<std::uint8_t>::max()));
    bucket.busy = share_of(sum.busy_ns, bucket_ns);
    bucket.covered = share_of(sum.longest_ns, bucket_ns);
    bucket.exposed = nearest_share_of(sum.exposed_ns, bucket_ns);
    return bucket;
}

std::vector<Sum> base_sums(const Lane& lane, std::int64_t origin_ns, unsigned shift, std::size_t bucket_count) {
    std::vector<Sum> sums(bucket_count);
    for (std::uint32_t index = 0; index < lane.size(); ++index) {
        const TimeRange event = lane.event(index);
        if (event.length_ns() <= 0) continue;
        const auto first = static_cast<std::size_t>((event.begin_ns - origin_ns) >> shift);
        const auto last = static_cast<std::size_t>((event.end_ns - 1 - origin_ns) >> shift);
        for (std::size_t bucket = first; bucket <= last; ++bucket) {
            const std::int64_t begin_ns = origin_ns + (static_cast<std::int64_t>(bucket) << shift);
            const TimeRange range{begin_ns, begin_ns + (std::int64_t{1} << shift)};
            const std::int64_t shared = overlap_ns(event, range);
            Sum& sum = sums[bucket];
            sum.busy_ns += shared;
            sum.exposed_ns += overlap_ns(exposed_part(lane, index), range);
            ++sum.count;
            if (bucket < last) sum.straddler = index;
            if (shared > sum.longest_ns) {
                sum.longest_ns = shared;
                sum.dominant = index;
            }
        }
    }
    return sums;
}

Sum merged(const Lane& lane, const Sum& left, const Sum& right, TimeRange range) {
    Sum sum;
    sum.busy_ns = left.busy_ns + right.busy_ns;
    sum.exposed_ns = left.exposed_ns + right.exposed_ns;
    sum.count = left.count + right.count - (left.straddler != no_event ? 1 : 0);
    sum.straddler = right.straddler;
    for (const std::uint32_t candidate : {left.dominant, left.straddler, right.dominant}) {
        if (candidate == no_event) continue;
        const std::int64_t shared = overlap_ns(lane.event(candidate), range);
        if (shared > sum.longest_ns || (shared == sum.longest_ns && candidate < sum.dominant)) {
            sum.longest_ns = shared;
            sum.dominant = candidate;
        }
    }
    return sum;
}

}  // namespace

LaneMip::LaneMip(const Lane& lane) {
    if (lane.empty()) return;
    origin_ns_ = lane.start_ns.front();
    has_stalls_ = std::ranges::find(lane.role, EventRole::exposed) != lane.role.end();
    const auto span_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(1, lane.end_ns.back() - origin_ns_));
    const std::uint64_t shortest_ns = (span_ns + lane.size() - 1) / lane.size();
    shift_ = static_cast<unsigned>(std::bit_width(std::bit_ceil(shortest_ns)) - 1);
    std::vector<Sum> sums = base_sums(lane, origin_ns_, shift_, static_cast<std::size_t>((span_ns - 1) >> shift_) + 1);

    while (true) {
        const std::int64_t length_ns = bucket_ns(level_count());
        std::vector<Bucket>& level = levels_.emplace_back(sums.size());
        std::transform(sums.begin(), sums.end(), level.begin(),
                       [length_ns](const Sum& sum) { return quantised(sum, length_ns); });
        if (sums.size() == 1) break;
        for (std::size_t parent = 0; 2 * parent < sums.size(); ++parent) {
            const std::size_t right = 2 * parent + 1;
            const std::int64_t begin_ns = origin_ns_ + static_cast<std::int64_t>(parent) * 2 * length_ns;
            sums[parent] = merged(lane, sums[2 * parent], right < sums.size() ? sums[right] : Sum{},
                                  {begin_ns, begin_ns + 2 * length_ns});
        }
        sums.resize((sums.size() + 1) / 2);
    }

    long_events_.resize(levels_.size());
    for (std::uint32_t index = 0; index < lane.size(); ++index) {
        const std::int64_t length_ns = lane.event(index).length_ns();
        for (std::uint32_t level = 0; level < level_count() && length_ns >= bucket_ns(level); ++level) {
            long_events_[level].push_back(index);
        }
    }
}

std::uint32_t LaneMip::level_within(std::int64_t length_ns) const {
    const auto doublings =
        static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(length_ns) >> shift_) - 1);
    return std::min(doublings, level_count() - 1);
}

LaneMip::Sample LaneMip::sample(const Lane& lane, TimeRange range, std::uint32_t first_event) const {
    Sample sample;
    if (empty() || range.length_ns() <= 0) return sample;
    if (range.length_ns() < bucket_ns(0)) {
        std::int64_t longest_ns = 0;
        std::int64_t busy_ns = 0;
        std::int64_t exposed_ns = 0;
        for (std::uint32_t index = first_event; index < lane.size() && lane.start_ns[index] < range.end_ns; ++index) {
            const std::int64_t shared = overlap_ns(lane.event(index), range);
            busy_ns += shared;
            exposed_ns += overlap_ns(exposed_part(lane, index), range);
            if (shared <= longest_ns) continue;
            longest_ns = shared;
            sample.dominant = index;
        }
        sample.busy = share_of(busy_ns, range.length_ns());
        sample.exposed = nearest_share_of(exposed_ns, range.length_ns());
        return sample;
    }
    const std::uint32_t chosen = level_within(range.length_ns());
    const std::vector<Bucket>& buckets = levels_[chosen];
    const unsigned shift = shift_ + chosen;
    const std::int64_t last =
        std::min<std::int64_t>((range.end_ns - 1 - origin_ns_) >> shift, static_cast<std::int64_t>(buckets.size()) - 1);
    // Time is counted in 1/255 ns. An event is taken to lie evenly in its bucket: good enough within a pixel, and the
    // event itself need not be looked at. Buckets of one event are added up.
    std::int64_t longest = -1;
    std::int64_t dominated = 0;
    std::int64_t busy = 0;
    std::int64_t exposed = 0;
    std::uint32_t previous = no_event;
    for (std::int64_t index = std::max<std::int64_t>(0, (range.begin_ns - origin_ns_) >> shift); index <= last;
         ++index) {
        const Bucket& bucket = buckets[static_cast<std::size_t>(index)];
        if (bucket.dominant == no_event) continue;
        const std::int64_t begin_ns = origin_ns_ + (index << shift);
        const std::int64_t inside_ns = overlap_ns(range, {begin_ns, begin_ns + (std::int64_t{1} << shift)});
        busy += inside_ns * bucket.busy;
        exposed += inside_ns * bucket.exposed;
        dominated = inside_ns * bucket.covered + (bucket.dominant == previous ? dominated : 0);
        previous = bucket.dominant;
        if (dominated <= longest) continue;
        longest = dominated;
        sample.dominant = bucket.dominant;
    }
    if (sample.dominant != no_event) {
        sample.busy = static_cast<std::uint8_t>(std::clamp<std::int64_t>(busy / range.length_ns(), 1, 255));
        sample.exposed = static_cast<std::uint8_t>(std::min<std::int64_t>(exposed / range.length_ns(), 255));
    }
    return sample;
}

}  // namespace overlap
