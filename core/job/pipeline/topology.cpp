#include "core/job/pipeline/topology.h"

namespace overlap::job {

std::size_t level_between(std::span<const TopologyLevel> levels, std::int64_t a, std::int64_t b) {
    for (std::size_t i = 0; i + 1 < levels.size(); ++i)
        if (a / levels[i].ranks == b / levels[i].ranks) return i;
    return levels.size() - 1;
}

double message_ms(const TopologyLevel& level, std::int64_t bytes) {
    return level.latency_ms + static_cast<double>(bytes) / level.bytes_per_s * 1e3;
}

}  // namespace overlap::job
