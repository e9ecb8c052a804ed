#include "core/files/json_text.h"

#include "core/files/json_numbers.h"

namespace overlap {

using simdjson::dom::element_type;

void write_json(JsonWriter& json, simdjson::dom::element value) {
    switch (value.type()) {
        case element_type::NULL_VALUE:
            json.null();
            break;
        case element_type::BOOL:
            json.value(value.get_bool().value_unsafe());
            break;
        case element_type::INT64:
            json.value(value.get_int64().value_unsafe());
            break;
        case element_type::UINT64:
            json.json(std::to_string(value.get_uint64().value_unsafe()));
            break;
        case element_type::DOUBLE:
            json.floating(value.get_double().value_unsafe());
            break;
        case element_type::STRING:
            json.value(value.get_string().value_unsafe());
            break;
        case element_type::ARRAY:
            json.begin_array();
            for (const simdjson::dom::element item : value.get_array()) write_json(json, item);
            json.end_array();
            break;
        case element_type::OBJECT:
            if (const std::string_view digits = wide_number(value); !digits.empty()) {
                json.json(digits);
                break;
            }
            json.begin_object();
            for (const auto [key, item] : value.get_object()) write_json(json.key(key), item);
            json.end_object();
            break;
    }
}

std::string json_text(simdjson::dom::element value) {
    JsonWriter json;
    write_json(json, value);
    return json.take();
}

std::string_view wide_number(simdjson::dom::element value) {
    simdjson::dom::object object;
    if (value.get(object) || object.size() != 1) return {};
    const auto [key, digits] = *object.begin();
    std::string_view text;
    if (key != wide_number_key || digits.get(text)) return {};
    return text;
}

void JsonMembers::add(std::string_view key, simdjson::dom::element value) {
    if (json_.empty()) json_.begin_object();
    write_json(json_.key(key), value);
}

std::string_view JsonMembers::close() {
    if (!json_.empty()) json_.end_object();
    return json_.text();
}

}  // namespace overlap
