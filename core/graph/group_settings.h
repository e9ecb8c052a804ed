#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/unknown_fields.h"
#include "core/graph/graph.h"

namespace overlap {

/// How a process group's communicator and stream are to be set up: what PyTorch's ProcessGroupNCCL.Options has of it,
/// under the names that it has there. What is not given is left to NCCL.
struct GroupSettings {
    std::string group;  ///< name of the process group
    /// Its stream has priority over others: is_high_priority_stream. If not given, the pass that creates the group
    /// decides.
    std::optional<bool> high_priority;
    // Members of ncclConfig_t, see group_numbers().
    std::optional<int> min_ctas{}, max_ctas{}, cga_cluster_size{}, nvls_ctas{}, cta_policy{}, traffic_class{};
    UnknownFields extra{};  ///< of the plan's entry

    bool operator==(const GroupSettings&) const = default;
};

/// A number of ncclConfig_t that PyTorch's options have.
struct GroupNumber {
    std::string_view name;  ///< in ProcessGroupNCCL.Options.config, in plans and in results
    std::optional<int> GroupSettings::*value;
    int least, most;           ///< that NCCL 2.28 takes
    std::string_view meaning;  ///< a clause
};

/// All of them, in the order in which they are written.
std::span<const GroupNumber> group_numbers();

/// What the graph itself says of a group: passes that make one ask for a stream of high priority.
GroupSettings settings_of(const ProcessGroup& group);

}  // namespace overlap
