#include "core/run/group_placement.h"

#include <algorithm>

namespace overlap {

namespace {

/// Distance between neighbours; 0 where distances differ or do not grow.
std::int64_t stride_of(const std::vector<int>& ranks) {
    if (ranks.size() < 2) return 1;
    const std::int64_t stride = std::int64_t{ranks[1]} - ranks[0];
    for (std::size_t index = 2; index < ranks.size(); ++index) {
        if (std::int64_t{ranks[index]} - ranks[index - 1] != stride) return 0;
    }
    return std::max<std::int64_t>(stride, 0);
}

std::vector<int> neighbours(int first, std::int64_t stride, std::size_t count) {
    std::vector<int> members;
    for (std::size_t index = 0; index < count; ++index) {
        members.push_back(static_cast<int>(first + static_cast<std::int64_t>(index) * stride));
    }
    return members;
}

/// The first rank of the instance that `rank` belongs to, of groups of `count` ranks at a distance of `stride`.
int first_of_instance(int rank, std::int64_t stride, std::int64_t count) {
    const std::int64_t block = stride * count;
    return static_cast<int>(rank / block * block + rank % stride);
}

}  // namespace

GroupPlacement place_group(const ProcessGroup& group, std::int64_t world_size, int attached, int rank) {
    GroupPlacement placement;
    const auto size = static_cast<std::int64_t>(group.ranks.size());
    if (world_size == attached) {
        const std::int64_t stride = stride_of(group.ranks);
        const bool repeats = stride > 0 && attached % (stride * size) == 0 &&
                             first_of_instance(group.ranks.front(), stride, size) == group.ranks.front();
        if (repeats) {
            placement.real = true;
            placement.members = neighbours(first_of_instance(rank, stride, size), stride, group.ranks.size());
            placement.reason = "as in the job";
        } else if (size == attached) {
            placement.real = true;
            placement.members = group.ranks;
            placement.reason = "as in the job";
        } else {
            placement.reason = "its ranks do not lie at equal distances, so the groups of other ranks are not known";
        }
    } else if (size > attached) {
        placement.reason = "it has " + std::to_string(size) + " ranks, and " + std::to_string(attached) +
                           (attached == 1 ? " is attached" : " are attached");
    } else if (attached % size != 0) {
        placement.reason = "its " + std::to_string(size) + " ranks do not divide the " + std::to_string(attached) +
                           " that are attached";
    } else {
        placement.real = true;
        placement.members = neighbours(first_of_instance(rank, 1, size), 1, group.ranks.size());
        placement.reason = "on neighbouring ranks";
    }
    return placement;
}

}  // namespace overlap
