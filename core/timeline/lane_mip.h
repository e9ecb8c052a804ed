#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/lane.h"

namespace overlap {

/// A pyramid over one lane that answers what to draw where many events fall into one pixel.
///
/// Time is cut into buckets of a power of two of nanoseconds, each level doubling the bucket, so that what is shown
/// does not flicker while zooming. A bucket names the event with the longest overlap (not merely a colour: hover and
/// labels can name it at any zoom) and says how busy it is (so that a lane that is 3 % busy does not look solid) and
/// how much of it is exposed (which would vanish where every stall is shorter than what runs beside it). There are at
/// most as many base buckets as events. Immutable; refers to its lane by index only.
class LaneMip {
  public:
    struct Bucket {
        std::uint32_t dominant = no_event;  ///< event with the longest overlap, the earlier of equals
        std::uint8_t count = 0;             ///< events that overlap the bucket; 255 means "or more"
        std::uint8_t busy = 0;     ///< busy share of the bucket in 1/255, rounded up: 0 only when nothing overlaps
        std::uint8_t covered = 0;  ///< the dominant event's part of `busy`, likewise
        /// Exposed part of `busy`, to the nearest: stalls, and the time that compute waited for the others, assumed to
        /// be at their end.
        std::uint8_t exposed = 0;
    };

    LaneMip() = default;
    explicit LaneMip(const Lane& lane);

    bool empty() const { return levels_.empty(); }
    /// Whether any event is a stall (EventRole::exposed).
    bool has_stalls() const { return has_stalls_; }
    std::uint32_t level_count() const { return static_cast<std::uint32_t>(levels_.size()); }
    const std::vector<Bucket>& level(std::uint32_t level) const { return levels_[level]; }
    std::int64_t origin_ns() const { return origin_ns_; }
    /// Length of a bucket of `level`.
    std::int64_t bucket_ns(std::uint32_t level) const { return std::int64_t{1} << (shift_ + level); }

    /// The coarsest level whose buckets are no longer than `length_ns`, which is at least bucket_ns(0).
    std::uint32_t level_within(std::int64_t length_ns) const;
    /// Events of at least bucket_ns(level), in order: what can be a pixel wide where a pixel is a bucket. There are at
    /// most as many as the level has buckets.
    const std::vector<std::uint32_t>& long_events(std::uint32_t level) const { return long_events_[level]; }

    /// What a span of time shows. `busy` and `exposed` in 1/255.
    struct Sample {
        std::uint32_t dominant = no_event;
        std::uint8_t busy = 0;
        std::uint8_t exposed = 0;
    };
    /// Looks up `range` in the coarsest level whose buckets are no longer than it; a handful of buckets are touched.
    /// A range shorter than a base bucket is answered from the events themselves.
    /// @param first_event an event at or before the first that ends after `range` begins.
    Sample sample(const Lane& lane, TimeRange range, std::uint32_t first_event) const;

  private:
    std::int64_t origin_ns_ = 0;
    bool has_stalls_ = false;
    unsigned shift_ = 0;  ///< a base bucket is 2^shift_ ns
    std::vector<std::vector<Bucket>> levels_;
    std::vector<std::vector<std::uint32_t>> long_events_;  ///< by level
};

}  // namespace overlap
