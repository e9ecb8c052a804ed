#include "core/io/plan/option_json.h"

#include <limits>

#include "core/base/error.h"
#include "core/io/plan/plan_json.h"

namespace overlap {

namespace {

/// A plan entry is one path or a flat list of paths (anything else raises in the reference).
ModuleList read_module_list(const std::string& place, const Json& value) {
    if (value.is_string()) return {{value.get<std::string>()}};
    if (!value.is_array()) fail_type(place, value, "a module path or a list of them");
    ModuleList list;
    for (std::size_t index = 0; index < value.size(); ++index) {
        if (!value[index].is_string()) fail_type(item_place(place, index), value[index], "a module path");
        list.modules.push_back(value[index].get<std::string>());
    }
    list.written_as_list = list.modules.size() == 1;
    return list;
}

bool is_beyond_64_bits(const Json& whole_number) {
    return whole_number.is_number_unsigned() &&
           whole_number.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
}

std::int64_t read_integer(const std::string& place, const Json& value) {
    if (!value.is_number_integer() || is_beyond_64_bits(value)) fail_type(place, value, "a whole number");
    return value.get<std::int64_t>();
}

ModuleLists read_module_lists(const std::string& place, const Json& value) {
    ModuleLists lists;
    for (std::size_t index = 0; index < value.size(); ++index) {
        lists.push_back(read_module_list(item_place(place, index), value[index]));
    }
    return lists;
}

IntegerList read_integer_list(const std::string& place, const Json& value) {
    IntegerList list;
    for (std::size_t index = 0; index < value.size(); ++index) {
        list.push_back(read_integer(item_place(place, index), value[index]));
    }
    return list;
}

NamedIntegers read_named_integers(const std::string& place, const Json& value) {
    NamedIntegers named;
    for (const auto& [name, number] : value.items()) named.emplace_back(name, read_integer(place + "." + name, number));
    return named;
}

/// A value as it is, whatever the option. What no option accepts becomes an empty list or object: the check reports it
/// as such.
OptionValue plain_value(const Json& value) {
    if (value.is_null()) return {};
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_string()) return value.get<std::string>();
    if (value.is_array()) return IntegerList();
    if (value.is_object()) return NamedIntegers();
    const bool whole = value.is_number_integer() && !is_beyond_64_bits(value);
    return whole ? OptionValue(value.get<std::int64_t>()) : OptionValue(value.get<double>());
}

struct ToJson {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(const ModuleLists& lists) const {
        Json json = Json::array();
        for (const ModuleList& list : lists) {
            const bool alone = list.modules.size() == 1 && !list.written_as_list;
            json.push_back(alone ? Json(list.modules.front()) : Json(list.modules));
        }
        return json;
    }
    Json operator()(const NamedIntegers& named) const {
        Json json = Json::object();
        for (const auto& [name, number] : named) json[name] = number;
        return json;
    }
    template <typename Value>
    Json operator()(const Value& value) const {
        return value;
    }
};

}  // namespace

OptionValue read_option_value(const PassOption& option, const std::string& place, const Json& value) {
    using Type = PassOption::Type;
    if (option.type == Type::module_lists && value.is_array()) return read_module_lists(place, value);
    if (option.type == Type::integer_list && value.is_array()) return read_integer_list(place, value);
    const bool takes_map = option.type == Type::module_order || option.type == Type::integer_map;
    if (takes_map && value.is_object()) return read_named_integers(place, value);
    // A count beyond 64 bits is no limit, as the largest that fits is none.
    if (option.type == Type::integer && is_beyond_64_bits(value)) return std::numeric_limits<std::int64_t>::max();
    OptionValue plain = plain_value(value);
    if (value.is_structured()) check_option_value(option, place, plain);
    return plain;
}

std::optional<OptionValue> parse_option_value(const PassOption& option, const std::string& place,
                                              const std::string& text) {
    const Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded()) return std::nullopt;
    return read_option_value(option, place, value);
}

Options read_options(const Pass& pass, const Json& options) {
    if (!options.is_object()) fail_type(std::string(pass.name()) + " options", options, "an object");
    Options read;
    for (const auto& [name, value] : options.items()) {
        read[name] = read_option_value(require_option(pass, name), option_place(pass, name), value);
    }
    return read;
}

Json option_json(const OptionValue& value) {
    return std::visit(ToJson{}, value);
}

Json options_json(const Options& options) {
    Json json = Json::object();
    for (const auto& [name, value] : options) json[name] = option_json(value);
    return json;
}

}  // namespace overlap
