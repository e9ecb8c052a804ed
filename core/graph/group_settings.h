#pragma once

#include <optional>
#include <string>

#include "core/graph/graph.h"

namespace overlap {

/// How a process group's communicator and stream are to be set up: what PyTorch's ProcessGroupNCCL.Options has of it,
/// under the names that it has there. What is not given is left to NCCL.
struct GroupSettings {
    std::string group;                      ///< name of the process group
    /// Its stream goes before others: is_high_priority_stream. Not given, it is as the pass asks that makes the group.
    std::optional<bool> high_priority;
    std::optional<int> min_ctas, max_ctas;  ///< thread blocks that a collective may take
    std::optional<int> cga_cluster_size;    ///< thread blocks of a cooperative group array

    bool operator==(const GroupSettings&) const = default;
};

/// What the graph itself says of a group: passes that make one ask for a stream of high priority.
GroupSettings settings_of(const ProcessGroup& group);

}  // namespace overlap
