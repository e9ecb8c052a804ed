#include "core/plan/process_groups_field.h"

#include <algorithm>
#include <optional>

#include "core/base/nearest_name.h"
#include "core/base/quote.h"

namespace overlap {

namespace {

std::string place_of(std::size_t index, const std::string& member) {
    return "process_groups[" + std::to_string(index) + "]." + member;
}

/// Nothing where the graph has the group.
std::optional<InputError> missing_group(const std::vector<GroupSettings>& settings, std::size_t index,
                                        const Graph& graph) {
    const std::string& group = settings[index].group;
    if (graph.header().process_group(group)) return std::nullopt;
    std::vector<std::string> names;
    for (const ProcessGroup& other : graph.header().process_groups) names.push_back(other.name);
    return InputError(place_of(index, "name"),
                      "there is no process group " + in_quotes(group) + suggest_names(group, names));
}

bool says_nothing(const GroupSettings& settings) {
    const auto given = [&](const GroupNumber& number) { return (settings.*number.value).has_value(); };
    return !settings.high_priority && settings.extra.empty() && std::ranges::none_of(group_numbers(), given);
}

}  // namespace

std::vector<std::string> unknown_group_settings(const std::vector<GroupSettings>& settings) {
    std::vector<std::string> known = {"name", "high_priority"};
    for (const GroupNumber& number : group_numbers()) known.emplace_back(number.name);
    std::vector<std::string> unknown;
    for (std::size_t index = 0; index < settings.size(); ++index) {
        for (const auto& [key, value] : settings[index].extra) {
            unknown.push_back(place_of(index, key) + suggest_names(key, known));
        }
    }
    return unknown;
}

void check_group_settings(const std::vector<GroupSettings>& settings, const Graph& graph) {
    for (std::size_t index = 0; index < settings.size(); ++index) {
        if (const auto missing = missing_group(settings, index, graph)) throw *missing;
    }
}

Problem not_evaluated(Severity severity, std::string message) {
    Problem problem;
    problem.severity = severity;
    problem.kind = ProblemKind::not_evaluated;
    problem.title = "Not evaluated";
    problem.message = std::move(message);
    return problem;
}

Problem run_refusal(const InputError& error) {
    return not_evaluated(Severity::caution, std::string("a run would refuse ") + error.what());
}

std::vector<Problem> check_group_names(const std::vector<GroupSettings>& settings, const Graph& graph) {
    std::vector<Problem> problems;
    for (std::size_t index = 0; index < settings.size(); ++index) {
        if (const auto missing = missing_group(settings, index, graph)) problems.push_back(run_refusal(*missing));
    }
    return problems;
}

GroupSettings settings_for(const std::vector<GroupSettings>& asked, const ProcessGroup& group) {
    const GroupSettings of_graph = settings_of(group);
    const auto found = std::ranges::find(asked, group.name, &GroupSettings::group);
    if (found == asked.end()) return of_graph;
    GroupSettings settings = *found;
    if (!settings.high_priority) settings.high_priority = of_graph.high_priority;
    return settings;
}

std::vector<GroupSettings> with_group_settings(std::vector<GroupSettings> asked, const GroupSettings& settings) {
    auto entry = std::ranges::find(asked, settings.group, &GroupSettings::group);
    if (entry == asked.end()) entry = asked.insert(asked.end(), settings);
    const UnknownFields extra = std::move(entry->extra);
    *entry = settings;
    entry->extra = extra;
    if (says_nothing(*entry)) asked.erase(entry);
    return asked;
}

std::vector<GroupSettings> without_group_settings(std::vector<GroupSettings> asked, const std::string& group) {
    std::erase_if(asked, [&](const GroupSettings& settings) { return settings.group == group; });
    return asked;
}

}  // namespace overlap
