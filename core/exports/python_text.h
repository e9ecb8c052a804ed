#pragma once

#include <string>
#include <string_view>

#include "core/files/ordered_json.h"
#include "core/passes/option.h"

// Values as Python writes them. Whatever comes from a file enters Python through these functions and nowhere else: the
// text is ASCII, has no line breaks but those between items, and reads back (ast.literal_eval) as the value that went
// in.
namespace overlap {

/// A string literal on one line, between double quotes: `"layers.0"`, `"a\"b\n\u202e"`. Bytes that are no UTF-8 become
/// U+FFFD.
std::string python_string(std::string_view text);

/// A JSON value: None, True, numbers, strings, lists, dictionaries. What would be wider than a line is broken after
/// each item, indented deeper than `indent`.
std::string python_value(const Json& value, std::size_t indent = 0);
/// The same for the value of an option.
std::string python_value(const OptionValue& value, std::size_t indent = 0);

}  // namespace overlap
