#include "core/io/plan/process_groups_json.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/io/plan/plan_json.h"

namespace overlap {

namespace {

constexpr const char* field = "process_groups";

std::string place_of(std::size_t index, const std::string& member = {}) {
    const std::string place = item_place(field, index);
    return member.empty() ? place : place + "." + member;
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
    for (const auto& [key, value] : group.items()) {
        const bool known = key == "name" || key == "high_priority" ||
                           std::ranges::find(group_numbers(), key, &GroupNumber::name) != group_numbers().end();
        if (!known) settings.extra.emplace_back(key, value.dump());
    }
    if (settings.min_ctas && settings.max_ctas && *settings.min_ctas > *settings.max_ctas)
        throw InputError(place_of(index, "min_ctas"), "found " + std::to_string(*settings.min_ctas) +
                                                          ", expected at most max_ctas, which is " +
                                                          std::to_string(*settings.max_ctas));
    return settings;
}

}  // namespace

std::vector<GroupSettings> read_process_groups(const Json& process_groups) {
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

Json settings_json(const GroupSettings& settings) {
    Json json = Json::object();
    if (settings.high_priority) json["high_priority"] = *settings.high_priority;
    for (const GroupNumber& number : group_numbers()) {
        if (const std::optional<int> value = settings.*number.value) json[std::string(number.name)] = *value;
    }
    return json;
}

Json process_groups_json(const std::vector<GroupSettings>& settings) {
    Json list = Json::array();
    for (const GroupSettings& group : settings) {
        Json entry = {{"name", group.group}};
        entry.update(settings_json(group));
        add_unknown_fields(entry, group.extra);
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace overlap
