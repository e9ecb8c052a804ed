#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/passes/describe_json.h"
#include "core/passes/pass.h"

namespace overlap {

namespace {

/// A plan entry is one path or a flat list of paths (anything else raises in the reference).
void check_module_lists(const std::string& place, const Json& value) {
    if (!value.is_array()) {
        throw InputError(place,
                         "found " + describe_json(value) + ", expected a list of module paths and lists of them");
    }
    for (std::size_t entry = 0; entry < value.size(); ++entry) {
        const std::string entry_place = place + "[" + std::to_string(entry) + "]";
        if (value[entry].is_string()) continue;
        if (!value[entry].is_array()) {
            throw InputError(entry_place,
                             "found " + describe_json(value[entry]) + ", expected a module path or a list of them");
        }
        for (std::size_t index = 0; index < value[entry].size(); ++index) {
            if (value[entry][index].is_string()) continue;
            throw InputError(entry_place + "[" + std::to_string(index) + "]",
                             "found " + describe_json(value[entry][index]) + ", expected a module path");
        }
    }
}

void check_range(const PassOption& option, const std::string& place, const Json& value) {
    const double number = value.get<double>();
    if (number >= option.minimum && number <= option.maximum) return;
    std::string expected = "expected ";
    if (std::isinf(option.maximum)) {
        expected += "at least " + shortest_text(option.minimum);
    } else if (std::isinf(option.minimum)) {
        expected += "at most " + shortest_text(option.maximum);
    } else {
        expected += shortest_text(option.minimum) + " to " + shortest_text(option.maximum);
    }
    throw InputError(place, "found " + describe_json(value) + ", " + expected);
}

void check_number(const PassOption& option, const std::string& place, const Json& value) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
        throw InputError(place,
                         "found " + describe_json(value) + ", expected a number" + (option.nullable ? " or null" : ""));
    }
    check_range(option, place, value);
}

void check_integer(const std::string& place, const Json& value) {
    if (!value.is_number_integer()) {
        throw InputError(place, "found " + describe_json(value) + ", expected a whole number");
    }
}

void check_module_order(const std::string& place, const Json& value) {
    if (value.is_null()) return;
    if (!value.is_object()) {
        throw InputError(place,
                         "found " + describe_json(value) + ", expected an object from module path to place, or null");
    }
    for (const auto& [module, number] : value.items()) {
        check_integer(place + "." + module, number);
    }
}

void check_integer_list(const std::string& place, const Json& value) {
    if (!value.is_array())
        throw InputError(place, "found " + describe_json(value) + ", expected a list of whole numbers");
    for (std::size_t index = 0; index < value.size(); ++index) {
        check_integer(place + "[" + std::to_string(index) + "]", value[index]);
    }
}

void check_integer_map(const PassOption& option, const std::string& place, const Json& value) {
    if (value.is_null()) return;
    if (value.is_string() &&
        std::ranges::find(option.choices, value.get_ref<const std::string&>()) != option.choices.end())
        return;
    if (!value.is_object()) {
        throw InputError(
            place, "found " + describe_json(value) + ", expected an object from whole number to whole number, or null");
    }
    for (const auto& [key, number] : value.items()) {
        std::int64_t parsed = 0;
        const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), parsed);
        if (key.empty() || error != std::errc() || end != key.data() + key.size()) {
            throw InputError(place, "found the key " + in_quotes(key) + ", expected a whole number");
        }
        check_integer(place + "." + key, number);
    }
}

void check_value(const PassOption& option, const std::string& place, const Json& value) {
    if (option.nullable && value.is_null()) return;
    switch (option.type) {
        case PassOption::Type::boolean:
            if (!value.is_boolean())
                throw InputError(place, "found " + describe_json(value) + ", expected true or false");
            return;
        case PassOption::Type::module_lists:
            check_module_lists(place, value);
            return;
        case PassOption::Type::module_order:
            check_module_order(place, value);
            return;
        case PassOption::Type::integer:
            check_integer(place, value);
            check_range(option, place, value);
            return;
        case PassOption::Type::number:
            check_number(option, place, value);
            return;
        case PassOption::Type::integer_list:
            check_integer_list(place, value);
            return;
        case PassOption::Type::integer_map:
            check_integer_map(option, place, value);
            return;
        case PassOption::Type::text:
            break;
    }
    if (value.is_null()) return;
    if (!value.is_string()) throw InputError(place, "found " + describe_json(value) + ", expected a string or null");
    const std::string& text = value.get_ref<const std::string&>();
    if (text.empty() && option.empty_is_unset) return;
    if (option.choices.empty() ||
        std::find(option.choices.begin(), option.choices.end(), text) != option.choices.end()) {
        return;
    }
    throw InputError(place, "unknown value " + in_quotes(text) + suggest_names(text, option.choices));
}

}  // namespace

void check_options(const Pass& pass, const Json& options) {
    const std::string pass_name(pass.name());
    if (!options.is_object()) {
        throw InputError(pass_name + " options", "found " + describe_json(options) + ", expected an object");
    }
    std::vector<std::string> names;
    for (const PassOption& option : pass.options()) names.push_back(option.name);
    for (const auto& [key, value] : options.items()) {
        const auto name = std::find(names.begin(), names.end(), key);
        if (name == names.end()) {
            throw InputError(pass_name + " options", "unknown option " + in_quotes(key) + suggest_names(key, names));
        }
        const PassOption& option = pass.options()[static_cast<std::size_t>(name - names.begin())];
        check_value(option, pass_name + " options." + key, value);
    }
    for (const PassOption& option : pass.options()) {
        if (option.required && !options.contains(option.name)) {
            throw InputError(pass_name + " options",
                             "option " + in_quotes(option.name) + " is missing and has no default");
        }
    }
}

}  // namespace overlap
