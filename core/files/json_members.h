#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace overlap {

// Looking into the JSON text that a graph keeps of fields that no code reads (`extra_json` and the like), without
// parsing all of it: those fields may be long, and may hold numbers beyond what a double can, which a JSON library
// refuses. The text is valid JSON, or empty. What is returned is part of it.

/// The value behind a key of an object, as text; the last of that key, as Python takes it. Empty where the text is no
/// object or has no such key. @param key has no characters that JSON would escape.
std::string_view json_member(std::string_view object, std::string_view key);

/// Calls visit(key, value) for each member of an object, in order; none where the text is no object. The value is text
/// of JSON, the key is as it stands between its quotes.
void for_each_json_member(std::string_view object,
                          const std::function<void(std::string_view key, std::string_view value)>& visit);

/// The items of a list, as text; none where the text is no list.
std::vector<std::string_view> json_items(std::string_view list);

/// The object with `value` behind a key, at the place of the first member of that key or at the end; other members keep
/// their text. What is no object counts as an empty one. @param value valid JSON text.
std::string with_json_member(std::string_view object, std::string_view key, std::string_view value);

/// The object without the members of a key; empty where none is left, as it is where it is no object.
std::string without_json_member(std::string_view object, std::string_view key);

}  // namespace overlap
