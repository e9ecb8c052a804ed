#pragma once

#include <cstddef>
#include <string>

#include "core/base/unknown_fields.h"
#include "core/files/ordered_json.h"

namespace overlap {

// What the readers and writers of a plan document's parts share.

/// @throws InputError "found …, expected …".
[[noreturn]] void fail_type(const std::string& place, const Json& found, const std::string& expected);

/// `list[3]`, the place of an item.
std::string item_place(const std::string& list, std::size_t index);

/// The text under a key, empty where there is none. @param above what precedes the key in places.
/// @throws InputError where it is no string.
std::string read_string(const Json& object, const std::string& key, const std::string& above);

/// Puts back what a reader kept.
void add_unknown_fields(Json& object, const UnknownFields& fields);

}  // namespace overlap
