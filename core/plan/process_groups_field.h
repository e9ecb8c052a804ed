#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/problem.h"
#include "core/graph/group_settings.h"

namespace overlap {

/// Fields of the plan's entries that are no settings, such as misspelt ones: `process_groups[0].max_cta`, each with the
/// setting of the nearest name.
std::vector<std::string> unknown_group_settings(const std::vector<GroupSettings>& settings);

/// @param graph the plan's result; passes may have made groups in it.
/// @throws InputError with the place in the plan for a group that the graph does not have.
void check_group_settings(const std::vector<GroupSettings>& settings, const Graph& graph);

/// Settings of a plan that figures do not show.
Problem not_evaluated(Severity severity, std::string message);

/// What a run refuses, for callers that continue with the plan: whatever is shown without running stays right.
Problem run_refusal(const InputError& error);

/// What check_group_settings() throws, all of it, as problems for callers that continue with a plan nevertheless.
std::vector<Problem> check_group_names(const std::vector<GroupSettings>& settings, const Graph& graph);

/// The settings of a group: those that the plan requests, or else the graph's. `high_priority` is always given.
GroupSettings settings_for(const std::vector<GroupSettings>& asked, const ProcessGroup& group);

/// `asked` with these settings for their group, and no others; other groups, and fields of the group's entry that are
/// no settings, stay. An entry without settings is removed.
std::vector<GroupSettings> with_group_settings(std::vector<GroupSettings> asked, const GroupSettings& settings);
/// `asked` without what it requests for a group.
std::vector<GroupSettings> without_group_settings(std::vector<GroupSettings> asked, const std::string& group);

}  // namespace overlap
