#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace overlap {

/// One entry of an option that lists buckets: dotted paths of modules.
struct ModuleList {
    std::vector<std::string> modules;
    bool written_as_list = false;  ///< of one module: `["layers.0"]`, not `"layers.0"`; the same in the reference

    bool operator==(const ModuleList&) const = default;
};
using ModuleLists = std::vector<ModuleList>;
/// Whole numbers by name, in the order in which they are written. A class of its own: libstdc++ takes a variant of
/// nothing but its own strings and vectors for one that always holds something, and destroys what is not there where
/// memory for a copy is lacking (GCC 12).
struct NamedIntegers : std::vector<std::pair<std::string, std::int64_t>> {
    using vector::vector;
};
using IntegerList = std::vector<std::int64_t>;

/// The value of an option; std::monostate is the null of documents. A number without a fraction is whole.
using OptionValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, ModuleLists, NamedIntegers, IntegerList>;

inline bool is_null(const OptionValue& value) {
    return std::holds_alternative<std::monostate>(value);
}
/// The number that a value is, whole or not.
std::optional<double> number_of(const OptionValue& value);
/// Whether both mean the same: 5 and 5.0 do.
bool same_value(const OptionValue& left, const OptionValue& right);
/// A value for messages: `the string "x"`, `a list`, `3`.
std::string describe(const OptionValue& value);

/// The options that a step of a pipeline gives, by name, in the order in which they were given.
class Options {
  public:
    using Item = std::pair<std::string, OptionValue>;

    Options() = default;
    Options(std::initializer_list<Item> items) : items_(items) {}

    bool empty() const { return items_.empty(); }
    std::size_t size() const { return items_.size(); }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }

    /// The value that is given, or nullptr.
    const OptionValue* find(std::string_view name) const;
    bool contains(std::string_view name) const { return find(name) != nullptr; }
    /// The value under a name, null and at the end where there was none.
    OptionValue& operator[](std::string_view name);
    /// Does nothing where there is none of the name.
    void erase(std::string_view name);
    /// Adds all of `others`.
    void update(const Options& others);

    bool operator==(const Options&) const = default;

  private:
    std::vector<Item> items_;
};

/// What is known of an option of a pass, declared once: readers check against it, panels and help show it.
struct PassOption {
    enum class Type {
        boolean,
        text,
        module_lists,
        module_order,  ///< NamedIntegers from module path to place
        integer,
        number,  ///< finite, whole or not
        integer_list,
        integer_map,  ///< NamedIntegers whose names are whole numbers, or one of the choices
    };
    std::string name;  ///< as in the reference
    std::string help;  ///< one sentence
    /// Of a text option or instead of a map; null means the default and is always allowed.
    std::vector<std::string> choices{};
    bool required = false;        ///< must be given; has no default
    bool empty_is_unset = false;  ///< of a text option: an empty text means null, as in the reference
    double minimum = -std::numeric_limits<double>::infinity();  ///< of numbers: the smallest valid one
    double maximum = std::numeric_limits<double>::infinity();
    /// Of numbers: the upper end of a slider; larger values can be typed. 0: no slider.
    double usual_maximum = 0;
    bool of_reference = true;  ///< false: an option of this application only, which a training job does not know

    // From the field that it is bound to (core/passes/option_table.h).
    Type type = Type::boolean;
    OptionValue default_value{};
    bool nullable = false;  ///< of numbers and booleans: null is a separate value, such as "no limit"
};

}  // namespace overlap
