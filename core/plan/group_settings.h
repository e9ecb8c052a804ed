#pragma once

#include <vector>

#include "core/graph/group_settings.h"
#include "core/passes/pass.h"

namespace overlap {

/// What a plan's field `process_groups` says, as it was read: a list of objects with `name` and any of
/// `high_priority`, `min_ctas`, `max_ctas`, `cga_cluster_size`. Other fields are kept with the plan and not looked at.
/// @throws InputError with the place in the plan: no name, a name twice, wrong types, numbers that NCCL refuses, more
/// blocks at least than at most.
std::vector<GroupSettings> group_settings(const Json& process_groups);

/// @param graph what the plan makes; passes may have made groups of it.
/// @throws InputError with the place in the plan for a group that the graph does not have.
void check_group_settings(const std::vector<GroupSettings>& settings, const Graph& graph);

}  // namespace overlap
