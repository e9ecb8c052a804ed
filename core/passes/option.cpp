#include "core/passes/option.h"

#include <algorithm>

#include "core/base/number_text.h"
#include "core/base/quote.h"

namespace overlap {

std::optional<double> number_of(const OptionValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* number = std::get_if<double>(&value)) return *number;
    return std::nullopt;
}

bool same_value(const OptionValue& left, const OptionValue& right) {
    if (left.index() == right.index()) return left == right;
    const std::optional<double> number = number_of(left);
    return number && number == number_of(right);
}

std::string describe(const OptionValue& value) {
    struct {
        std::string operator()(std::monostate) const { return "null"; }
        std::string operator()(bool flag) const { return flag ? "true" : "false"; }
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
        std::string operator()(double number) const { return shortest_text(number); }
        std::string operator()(const std::string& text) const { return "the string " + in_quotes(text); }
        std::string operator()(const ModuleLists&) const { return "a list"; }
        std::string operator()(const NamedIntegers&) const { return "an object"; }
        std::string operator()(const IntegerList&) const { return "a list"; }
    } in_words;
    return std::visit(in_words, value);
}

const OptionValue* Options::find(std::string_view name) const {
    const auto found = std::ranges::find(items_, name, &Item::first);
    return found == items_.end() ? nullptr : &found->second;
}

OptionValue& Options::operator[](std::string_view name) {
    const auto found = std::ranges::find(items_, name, &Item::first);
    return found == items_.end() ? items_.emplace_back(std::string(name), OptionValue()).second : found->second;
}

void Options::erase(std::string_view name) {
    std::erase_if(items_, [&](const Item& item) { return item.first == name; });
}

void Options::update(const Options& others) {
    for (const auto& [name, value] : others) (*this)[name] = value;
}

}  // namespace overlap
