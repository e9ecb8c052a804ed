#pragma once

#include <string>
#include <string_view>

namespace overlap::commands {

/// Writes a text file; it appears whole or not at all, and what was there before stays where writing fails.
/// @throws InputError with the path and the reason.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace overlap::commands
