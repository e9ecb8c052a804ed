#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace overlap {

// Appending JSON to a text, without white space.

void append_json_string(std::string& text, std::string_view value);
void append_json_integer(std::string& text, std::int64_t value);
/// The shortest text that reads back as `value`, always recognisable as a floating number. @param value is finite.
void append_json_number(std::string& text, double value);
/// A parsed value, whole. Numbers wrapped by json_numbers.h are unwrapped.
void append_json(std::string& text, simdjson::dom::element value);
std::string json_text(simdjson::dom::element value);

/// The digits of a number that json_numbers.h wrapped; empty when `value` is none.
std::string_view wide_number(simdjson::dom::element value);

/// Members of an object that a reader has no place for, as the text of a JSON object; empty when there are none.
class JsonMembers {
  public:
    void clear() { text_.clear(); }
    bool empty() const { return text_.empty(); }
    void add(std::string_view key, simdjson::dom::element value);
    /// The object's text so far; add nothing afterwards without clear().
    std::string_view close();

  private:
    std::string text_;
};

/// Appends the members of `object_json` (an object's text without white space, or nothing) to an object that `text`
/// is in the middle of. @param first: whether the object has no members yet; false afterwards if any were added.
void append_json_members(std::string& text, std::string_view object_json, bool& first);

}  // namespace overlap
