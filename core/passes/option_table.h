#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/passes/option.h"

namespace overlap {

/// An integer_map option with choices: not given, one of the choices by its name, or numbers.
using IntegerMapOrChoice = std::variant<std::monostate, std::string, NamedIntegers>;

/// How a field of a pass's settings represents an option: its type, its value as a document has it, and back.
/// @tparam Field bool, std::int64_t, double, each also optional; std::optional<std::string>; ModuleLists;
/// NamedIntegers; IntegerList; IntegerMapOrChoice.
template <typename Field>
struct OptionField;

template <>
struct OptionField<bool> {
    static constexpr PassOption::Type type = PassOption::Type::boolean;
    static OptionValue value(bool field) { return field; }
    static bool field(const OptionValue& value) { return std::get<bool>(value); }
};
template <>
struct OptionField<std::int64_t> {
    static constexpr PassOption::Type type = PassOption::Type::integer;
    static OptionValue value(std::int64_t field) { return field; }
    static std::int64_t field(const OptionValue& value) { return std::get<std::int64_t>(value); }
};
template <>
struct OptionField<double> {
    static constexpr PassOption::Type type = PassOption::Type::number;
    static OptionValue value(double field) { return field; }
    static double field(const OptionValue& value) {
        const auto* whole = std::get_if<std::int64_t>(&value);
        return whole ? static_cast<double>(*whole) : std::get<double>(value);
    }
};
template <>
struct OptionField<std::string> {
    static constexpr PassOption::Type type = PassOption::Type::text;
    static OptionValue value(const std::string& field) { return field; }
    static std::string field(const OptionValue& value) { return std::get<std::string>(value); }
};
template <>
struct OptionField<ModuleLists> {
    static constexpr PassOption::Type type = PassOption::Type::module_lists;
    static OptionValue value(const ModuleLists&) { return {}; }
    static ModuleLists field(const OptionValue& value) { return std::get<ModuleLists>(value); }
};
template <>
struct OptionField<NamedIntegers> {
    static constexpr PassOption::Type type = PassOption::Type::module_order;
    static OptionValue value(const NamedIntegers&) { return {}; }
    static NamedIntegers field(const OptionValue& value) { return std::get<NamedIntegers>(value); }
};
template <>
struct OptionField<IntegerList> {
    static constexpr PassOption::Type type = PassOption::Type::integer_list;
    static OptionValue value(const IntegerList& field) { return field; }
    static IntegerList field(const OptionValue& value) { return std::get<IntegerList>(value); }
};
template <>
struct OptionField<IntegerMapOrChoice> {
    static constexpr PassOption::Type type = PassOption::Type::integer_map;
    static OptionValue value(const IntegerMapOrChoice& field) {
        return std::visit([](const auto& held) { return OptionValue(held); }, field);
    }
    static IntegerMapOrChoice field(const OptionValue& value) {
        if (const auto* choice = std::get_if<std::string>(&value)) return *choice;
        return std::get<NamedIntegers>(value);
    }
};
template <typename Value>
struct OptionField<std::optional<Value>> {
    static constexpr PassOption::Type type = OptionField<Value>::type;
    static OptionValue value(const std::optional<Value>& field) {
        return field ? OptionField<Value>::value(*field) : OptionValue();
    }
    static std::optional<Value> field(const OptionValue& value) { return OptionField<Value>::field(value); }
};

/// Whether null is a separate value for a field, such as "no limit". For others it means the default.
template <typename Field>
inline constexpr bool null_is_a_value =
    std::is_same_v<Field, std::optional<bool>> || std::is_same_v<Field, std::optional<double>> ||
    std::is_same_v<Field, std::optional<std::int64_t>> || std::is_same_v<Field, IntegerMapOrChoice>;

/// The options of a pass, each bound to the field of `Settings` that it sets. The type and the default of an option are
/// those of its field in `Settings{}`, so that they are stated nowhere else.
template <typename Settings>
class OptionTable {
  public:
    /// Declares the next option. @param option without type, default and `nullable`, which follow from the field.
    template <typename Field>
    OptionTable& add(PassOption option, Field Settings::*field) {
        option.type = OptionField<Field>::type;
        option.default_value = OptionField<Field>::value(Settings{}.*field);
        option.nullable = null_is_a_value<Field> && option.type != PassOption::Type::integer_map;
        setters_.push_back(
            [field, empty_is_unset = option.empty_is_unset](Settings& settings, const OptionValue& value) {
                const auto* text = std::get_if<std::string>(&value);
                if (is_null(value)) {
                    if constexpr (null_is_a_value<Field>) settings.*field = Field{};
                } else if (!(empty_is_unset && text && text->empty())) {
                    settings.*field = OptionField<Field>::field(value);
                }
            });
        options_.push_back(std::move(option));
        return *this;
    }

    std::span<const PassOption> options() const { return options_; }

    /// The settings that follow from the options; fields of options that are not given have their defaults.
    /// @param options checked by check_options(): a value of another type throws std::bad_variant_access.
    Settings read(const Options& options) const {
        Settings settings;
        for (std::size_t index = 0; index < options_.size(); ++index) {
            if (const OptionValue* value = options.find(options_[index].name)) setters_[index](settings, *value);
        }
        return settings;
    }

  private:
    std::vector<PassOption> options_;
    std::vector<std::function<void(Settings&, const OptionValue&)>> setters_;
};

}  // namespace overlap
