#pragma once

#include <simdjson.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace overlap {

/// Where in a document a reader is. Made on the stack while descending, and turned into text only for an error, such as
/// `nodes[412] "mm_3", args[0]`. A place refers to the one above it, which must outlive it.
class JsonPlace {
  public:
    /// A field of the document itself.
    explicit JsonPlace(std::string_view field) : field_(field) {}
    JsonPlace(const JsonPlace& above, std::string_view field) : above_(&above), field_(field) {}
    /// An item of a list. @param name the item's own name; may be empty.
    JsonPlace(const JsonPlace& above, std::size_t index, std::string_view name = {})
        : above_(&above), field_(name), index_(index) {}

    std::string text() const;
    [[noreturn]] void fail(std::string problem) const;

  private:
    static constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();

    const JsonPlace* above_ = nullptr;
    std::string_view field_;  ///< of an item: its name
    std::size_t index_ = no_index;
};

/// `text` in quotes for a message: shortened when long, control characters escaped, so that a message stays one line.
std::string quoted_text(std::string_view text);

/// A value in words: `the string "abc"`, `the integer 3`, `a list`.
std::string describe_json(simdjson::dom::element value);

// Values of a wanted type. @throws InputError at `place` with what was expected and what was found.
std::string_view json_string(simdjson::dom::element value, const JsonPlace& place);
bool json_boolean(simdjson::dom::element value, const JsonPlace& place);
std::int64_t json_integer(simdjson::dom::element value, const JsonPlace& place,
                          std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                          std::int64_t greatest = std::numeric_limits<std::int64_t>::max());
/// A finite number, integers included, of at least `least`.
double json_number(simdjson::dom::element value, const JsonPlace& place,
                   double least = -std::numeric_limits<double>::infinity(),
                   double most = std::numeric_limits<double>::max());
simdjson::dom::array json_list(simdjson::dom::element value, const JsonPlace& place);
/// An object; a number wrapped by json_numbers.h is none.
simdjson::dom::object json_object(simdjson::dom::element value, const JsonPlace& place);

/// The field `key` of the object at `place`. @throws InputError when it is missing.
simdjson::dom::element json_required(simdjson::dom::object from, std::string_view key, const JsonPlace& place);

}  // namespace overlap
