#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/group_settings.h"

namespace overlap {

/// How one process group of a job is run on the ranks that are attached.
struct GroupPlacement {
    bool real = false;         ///< by the communication library; else a kernel replaces it
    std::vector<int> members;  ///< attached ranks of this rank's instance of the group, in the group's order
    GroupSettings settings;    ///< of its communicator and stream
    std::string reason;        ///< why it is emulated, or on which ranks it runs; one clause without full stop
};

/// Where a group can be run when `attached` ranks are, seen from attached rank `rank`.
///
/// With as many attached ranks as the job has, each group is what it is in the job: the file has the group of one rank,
/// and groups whose ranks lie at equal distances repeat over the others. With fewer, a group that is no larger than
/// what is attached, and divides it, is run on neighbouring ranks. Any other is emulated.
///
/// @param world_size ranks of the job; 0 where the file does not say.
GroupPlacement place_group(const ProcessGroup& group, std::int64_t world_size, int attached, int rank);

}  // namespace overlap
