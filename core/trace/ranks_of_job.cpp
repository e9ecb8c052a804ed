#include "core/trace/ranks_of_job.h"

#include <cstdint>
#include <set>

namespace overlap {

bool are_ranks_of_one_job(std::span<const std::shared_ptr<const MeasuredTrace>> traces) {
    std::set<std::int64_t> ranks, world_sizes;
    for (const auto& trace : traces) {
        if (!trace->header().rank || !ranks.insert(*trace->header().rank).second) return false;
        if (trace->header().world_size) world_sizes.insert(*trace->header().world_size);
    }
    return world_sizes.size() <= 1;
}

}  // namespace overlap
