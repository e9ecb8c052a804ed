#include "core/io/plan/plan_json.h"

#include "core/base/error.h"

namespace overlap {

void fail_type(const std::string& place, const Json& found, const std::string& expected) {
    throw InputError(place, "found " + describe_json(found) + ", expected " + expected);
}

std::string item_place(const std::string& list, std::size_t index) {
    return list + "[" + std::to_string(index) + "]";
}

std::string read_string(const Json& object, const std::string& key, const std::string& above) {
    const auto field = object.find(key);
    if (field == object.end()) return {};
    if (!field->is_string()) fail_type(above + key, *field, "a string");
    return field->get<std::string>();
}

void add_unknown_fields(Json& object, const UnknownFields& fields) {
    for (const auto& [name, value] : fields) object[name] = Json::parse(value);
}

}  // namespace overlap
