#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>

#include "core/timeline/timeline_builder.h"

namespace overlap::test {

/// One lane of `count` events with lengths and gaps over several orders of magnitude; the same for the same seed.
inline std::shared_ptr<const Timeline> random_lane(std::uint32_t seed, std::uint32_t count) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> exponent(0.0, 4.0);
    TimelineBuilder builder;
    const std::uint32_t lane = builder.add_lane({"random", "", LaneKind::other, EventRole::compute});
    std::int64_t time_ns = 1'000;
    for (std::uint32_t index = 0; index < count; ++index) {
        if (random() % 3 != 0) time_ns += static_cast<std::int64_t>(std::pow(10.0, exponent(random)));
        const std::int64_t end_ns = time_ns + 1 + static_cast<std::int64_t>(std::pow(10.0, exponent(random)));
        TimelineEvent event;
        event.time = {time_ns, end_ns};
        event.role = bucket_role(static_cast<std::uint32_t>(random()));
        event.reference = index;
        builder.add(lane, event);
        time_ns = end_ns;
    }
    return builder.finish();
}

}  // namespace overlap::test
