#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/passes/pass.h"

namespace overlap {

namespace {

[[noreturn]] void fail(const std::string& place, const OptionValue& found, const std::string& expected) {
    throw InputError(place, "found " + describe(found) + ", expected " + expected);
}

void check_range(const PassOption& option, const std::string& place, const OptionValue& value, double number) {
    if (number >= option.minimum && number <= option.maximum) return;
    if (std::isinf(option.maximum)) fail(place, value, "at least " + describe(option.minimum));
    if (std::isinf(option.minimum)) fail(place, value, "at most " + describe(option.maximum));
    fail(place, value, describe(option.minimum) + " to " + describe(option.maximum));
}

void check_number(const PassOption& option, const std::string& place, const OptionValue& value) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* number = std::get_if<double>(&value);
    if (!whole && !(number && std::isfinite(*number))) {
        fail(place, value, option.nullable ? "a number or null" : "a number");
    }
    check_range(option, place, value, whole ? static_cast<double>(*whole) : *number);
}

bool is_whole_number(const std::string& text) {
    std::int64_t parsed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

void check_integer_map(const PassOption& option, const std::string& place, const OptionValue& value) {
    if (const auto* choice = std::get_if<std::string>(&value)) {
        if (std::ranges::find(option.choices, *choice) != option.choices.end()) return;
    }
    const auto* map = std::get_if<NamedIntegers>(&value);
    if (!map) fail(place, value, "an object from whole number to whole number, or null");
    for (const auto& [key, number] : *map) {
        if (!is_whole_number(key)) {
            throw InputError(place, "found the key " + in_quotes(key) + ", expected a whole number");
        }
    }
}

void check_text(const PassOption& option, const std::string& place, const OptionValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (!text) fail(place, value, "a string or null");
    if (text->empty() && option.empty_is_unset) return;
    if (option.choices.empty() || std::ranges::find(option.choices, *text) != option.choices.end()) return;
    throw InputError(place, "unknown value " + in_quotes(*text) + suggest_names(*text, option.choices));
}

/// Whether null may be given: it is a separate value, or means the default.
bool takes_null(const PassOption& option) {
    using Type = PassOption::Type;
    return option.nullable || option.type == Type::module_order || option.type == Type::integer_map ||
           option.type == Type::text;
}

std::vector<std::string> names_of_options(const Pass& pass) {
    std::vector<std::string> names;
    for (const PassOption& option : pass.options()) names.push_back(option.name);
    return names;
}

std::string place_of_options(const Pass& pass) {
    return std::string(pass.name()) + " options";
}

}  // namespace

void check_option_value(const PassOption& option, const std::string& place, const OptionValue& value) {
    if (is_null(value) && takes_null(option)) return;
    switch (option.type) {
        case PassOption::Type::boolean:
            if (!std::holds_alternative<bool>(value)) fail(place, value, "true or false");
            return;
        case PassOption::Type::module_lists:
            if (!std::holds_alternative<ModuleLists>(value)) {
                fail(place, value, "a list of module paths and lists of them");
            }
            return;
        case PassOption::Type::module_order:
            if (!std::holds_alternative<NamedIntegers>(value)) {
                fail(place, value, "an object from module path to place, or null");
            }
            return;
        case PassOption::Type::integer:
            if (!std::holds_alternative<std::int64_t>(value)) fail(place, value, "a whole number");
            return check_range(option, place, value, static_cast<double>(std::get<std::int64_t>(value)));
        case PassOption::Type::number:
            return check_number(option, place, value);
        case PassOption::Type::integer_list:
            if (!std::holds_alternative<IntegerList>(value)) fail(place, value, "a list of whole numbers");
            return;
        case PassOption::Type::integer_map:
            return check_integer_map(option, place, value);
        case PassOption::Type::text:
            return check_text(option, place, value);
    }
}

std::string option_place(const Pass& pass, std::string_view name) {
    return (place_of_options(pass) + ".").append(name);
}

const PassOption& require_option(const Pass& pass, std::string_view name) {
    const auto found = std::ranges::find(pass.options(), name, &PassOption::name);
    if (found != pass.options().end()) return *found;
    throw InputError(place_of_options(pass),
                     "unknown option " + in_quotes(name) + suggest_names(name, names_of_options(pass)));
}

void check_options(const Pass& pass, const Options& options) {
    for (const auto& [name, value] : options) {
        check_option_value(require_option(pass, name), option_place(pass, name), value);
    }
    for (const PassOption& option : pass.options()) {
        if (option.required && !options.contains(option.name)) {
            throw InputError(place_of_options(pass),
                             "option " + in_quotes(option.name) + " is missing and has no default");
        }
    }
}

}  // namespace overlap
