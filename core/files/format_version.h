#pragma once

#include <cstdint>
#include <string_view>

namespace overlap {

/// Refuses a document of a version that this program does not read, and says what would read it.
/// @param format for messages, such as `plan`.
/// @param newest version that this program reads and writes; it reads all from 1 on.
/// @throws InputError at the place `version`.
void check_format_version(std::string_view format, std::int64_t found, std::int64_t newest);

}  // namespace overlap
