#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace overlap {

/// Objects and lists of a parsed document may be nested this deep: far more than documents written by hand need, far
/// less than what exhausts the stack of recursive code.
inline constexpr int parsed_depth_limit = 64;

/// Parses a document that users write by hand and that is changed and written again, such as a plan.
/// @throws InputError without the file's name, with line and column: invalid UTF-8, invalid JSON, nested too deeply, a
/// key that an object has already (one of its values would be lost). A number beyond what a double holds has no place.
nlohmann::ordered_json parse_json_document(std::string_view text);

}  // namespace overlap
