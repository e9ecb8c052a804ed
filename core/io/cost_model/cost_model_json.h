#pragma once

#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/files/json_fields.h"

/// What the parts of a cost model's document share.
namespace overlap {

/// Calls `read(value, place)` where the object has the field.
/// @param above the place of the object, null for the document.
template <typename Read>
void optional_field(simdjson::dom::object from, std::string_view key, const JsonPlace* above, Read&& read) {
    simdjson::dom::element value;
    if (from.at_key(key).get(value)) return;
    above ? read(value, JsonPlace(*above, key)) : read(value, JsonPlace(key));
}

/// The member of an object, which is made as an empty object where there is none. `json[key]` alone is null, and where
/// memory is lacking while that becomes an object, it leaves a document behind that cannot be freed.
inline nlohmann::ordered_json& object_member(nlohmann::ordered_json& json, const std::string& key) {
    nlohmann::ordered_json& member = json[key];
    if (member.is_null()) member = nlohmann::ordered_json::object();
    return member;
}

/// Drops the members of `json` that `model` lacks, and writes those that it has; other content of a member is kept.
template <typename Map, typename Write>
void write_members(nlohmann::ordered_json& json, const Map& model, Write&& write) {
    if (!json.is_object()) json = nlohmann::ordered_json::object();
    std::set<std::string> names;
    for (const auto& [key, value] : model) {
        std::string name;
        if constexpr (std::is_same_v<typename Map::key_type, std::string>) {
            name = key;
        } else {
            name = std::to_string(key);
        }
        write(object_member(json, name), value);
        names.insert(name);
    }
    for (auto member = json.begin(); member != json.end();)
        member = names.contains(member.key()) ? std::next(member) : json.erase(member);
}

}  // namespace overlap
