#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "core/files/json_writer.h"

namespace overlap {

/// Writes a parsed value, whole. Numbers wrapped by json_numbers.h are unwrapped.
void write_json(JsonWriter& json, simdjson::dom::element value);
std::string json_text(simdjson::dom::element value);

/// The digits of a number that json_numbers.h wrapped; empty when `value` is none.
std::string_view wide_number(simdjson::dom::element value);

/// Members of an object that a reader has no place for, as the text of a JSON object; empty when there are none.
class JsonMembers {
  public:
    void clear() { json_.clear(); }
    bool empty() const { return json_.empty(); }
    void add(std::string_view key, simdjson::dom::element value);
    /// The object's text so far; add nothing afterwards without clear().
    std::string_view close();

  private:
    JsonWriter json_;
};

}  // namespace overlap
