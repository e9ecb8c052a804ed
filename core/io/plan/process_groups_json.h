#pragma once

#include <vector>

#include "core/files/ordered_json.h"
#include "core/graph/group_settings.h"

namespace overlap {

/// A plan's field `process_groups`: a list of objects with `name` and any of `high_priority` and group_numbers(). Other
/// fields are kept and not interpreted.
/// @throws InputError with the place in the plan: no name, a name twice, wrong types, numbers that NCCL refuses, more
/// blocks at least than at most.
std::vector<GroupSettings> read_process_groups(const Json& process_groups);
Json process_groups_json(const std::vector<GroupSettings>& settings);

/// The settings that are given, by the names that a plan has for them; without the group's name.
Json settings_json(const GroupSettings& settings);

}  // namespace overlap
