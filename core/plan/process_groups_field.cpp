#include "core/plan/process_groups_field.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/passes/describe_json.h"

namespace overlap {

namespace {

constexpr const char* field = "process_groups";

std::string place_of(std::size_t index, const std::string& member = {}) {
    std::string place = field;
    place.append("[").append(std::to_string(index)).append("]");
    return member.empty() ? place : place.append(".").append(member);
}

std::optional<int> read_number(const Json& group, const GroupNumber& number, std::size_t index) {
    const std::string member(number.name);
    const auto found = group.find(member);
    if (found == group.end()) return std::nullopt;
    const bool fits = found->is_number_integer() && *found >= number.least && *found <= number.most;
    if (!fits) {
        throw InputError(place_of(index, member), "found " + describe_json(*found) + ", expected a whole number from " +
                                                      std::to_string(number.least) + " to " +
                                                      std::to_string(number.most));
    }
    return found->get<int>();
}

GroupSettings read_group(const Json& group, std::size_t index) {
    if (!group.is_object())
        throw InputError(place_of(index), "found " + describe_json(group) + ", expected an object with a name");
    GroupSettings settings;
    const auto name = group.find("name");
    if (name == group.end() || !name->is_string() || name->get<std::string>().empty())
        throw InputError(place_of(index, "name"), "expected the name of a process group");
    settings.group = name->get<std::string>();
    if (const auto high = group.find("high_priority"); high != group.end()) {
        if (!high->is_boolean())
            throw InputError(place_of(index, "high_priority"),
                             "found " + describe_json(*high) + ", expected true or false");
        settings.high_priority = high->get<bool>();
    }
    for (const GroupNumber& number : group_numbers()) settings.*number.value = read_number(group, number, index);
    if (settings.min_ctas && settings.max_ctas && *settings.min_ctas > *settings.max_ctas)
        throw InputError(place_of(index, "min_ctas"), "found " + std::to_string(*settings.min_ctas) +
                                                          ", expected at most max_ctas, which is " +
                                                          std::to_string(*settings.max_ctas));
    return settings;
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

auto entry_of(Json& process_groups, const std::string& group) {
    return std::find_if(process_groups.begin(), process_groups.end(),
                        [&](const Json& entry) { return entry.at("name") == group; });
}

}  // namespace

std::vector<GroupSettings> group_settings(const Json& process_groups) {
    if (!process_groups.is_array())
        throw InputError(field, "found " + describe_json(process_groups) + ", expected a list");
    std::vector<GroupSettings> all;
    for (std::size_t index = 0; index < process_groups.size(); ++index) {
        GroupSettings settings = read_group(process_groups[index], index);
        const bool twice = std::any_of(all.begin(), all.end(),
                                       [&](const GroupSettings& other) { return other.group == settings.group; });
        if (twice) throw InputError(place_of(index, "name"), in_quotes(settings.group) + " stands there twice");
        all.push_back(std::move(settings));
    }
    return all;
}

std::vector<std::string> unknown_group_settings(const Json& process_groups) {
    std::vector<std::string> known = {"name", "high_priority"};
    for (const GroupNumber& number : group_numbers()) known.emplace_back(number.name);
    std::vector<std::string> unknown;
    if (!process_groups.is_array()) return unknown;
    for (std::size_t index = 0; index < process_groups.size(); ++index) {
        if (!process_groups[index].is_object()) continue;
        for (const auto& [key, value] : process_groups[index].items()) {
            if (std::ranges::find(known, key) != known.end()) continue;
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
    problem.title = "not evaluated";
    problem.message = std::move(message);
    return problem;
}

Problem run_refusal(const InputError& error) {
    return not_evaluated(Severity::caution, std::string("a run would refuse ") + error.what());
}

std::vector<Problem> check_group_names(const Json& process_groups, const Graph& graph) {
    std::vector<GroupSettings> settings;
    try {
        settings = group_settings(process_groups);
    } catch (const InputError&) {
        return {};
    }
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

Json settings_json(const GroupSettings& settings) {
    Json json = Json::object();
    if (settings.high_priority) json["high_priority"] = *settings.high_priority;
    for (const GroupNumber& number : group_numbers()) {
        if (const std::optional<int> value = settings.*number.value) json[std::string(number.name)] = *value;
    }
    return json;
}

Json with_group_settings(Json process_groups, const GroupSettings& settings) {
    auto entry = entry_of(process_groups, settings.group);
    if (entry == process_groups.end()) {
        process_groups.push_back({{"name", settings.group}});
        entry = std::prev(process_groups.end());
    }
    // In one order, whichever was set first.
    entry->erase("high_priority");
    for (const GroupNumber& number : group_numbers()) entry->erase(std::string(number.name));
    entry->update(settings_json(settings));
    if (entry->size() == 1) process_groups.erase(entry);  // its name
    return process_groups;
}

Json without_group_settings(Json process_groups, const std::string& group) {
    const auto entry = entry_of(process_groups, group);
    if (entry != process_groups.end()) process_groups.erase(entry);
    return process_groups;
}

}  // namespace overlap
