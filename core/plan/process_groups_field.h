#pragma once

#include <vector>

#include "core/base/error.h"
#include "core/graph/group_settings.h"
#include "core/passes/pass.h"

namespace overlap {

/// What a plan's field `process_groups` says, as it was read: a list of objects with `name` and any of
/// `high_priority` and group_numbers(). Other fields are kept with the plan and not looked at.
/// @throws InputError with the place in the plan: no name, a name twice, wrong types, numbers that NCCL refuses, more
/// blocks at least than at most.
std::vector<GroupSettings> group_settings(const Json& process_groups);

/// Where entries have fields that are no settings, such as misspelt ones, each with the setting that is called nearly
/// so.
std::vector<std::string> unknown_group_settings(const Json& process_groups);

/// @param graph what the plan makes; passes may have made groups of it.
/// @throws InputError with the place in the plan for a group that the graph does not have.
void check_group_settings(const std::vector<GroupSettings>& settings, const Graph& graph);

/// What a plan says and figures do not show.
Problem not_evaluated(Severity severity, std::string message);

/// What a run refuses, for those who go on with the plan: whatever is seen of it without running stays right.
Problem run_refusal(const InputError& error);

/// The same as problems, for those who go on with a plan that a run would refuse. What group_settings() throws of is
/// not told here.
std::vector<Problem> check_group_names(const Json& process_groups, const Graph& graph);

/// What holds for a group: what the plan asks of it, or else the graph. `high_priority` is always given.
/// @param asked see group_settings().
GroupSettings settings_for(const std::vector<GroupSettings>& asked, const ProcessGroup& group);

/// What is given of the settings, by the names that a plan has for it; without the group's name.
Json settings_json(const GroupSettings& settings);

/// The plan's field with these settings for their group, and no others; other groups, and fields of the group's entry
/// that are no settings, stay. An entry that says nothing any more goes.
/// @param process_groups as group_settings() takes it.
Json with_group_settings(Json process_groups, const GroupSettings& settings);
/// The plan's field without what it asks of a group.
Json without_group_settings(Json process_groups, const std::string& group);

}  // namespace overlap
