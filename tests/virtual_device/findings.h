#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace overlap::virtual_device {

/// Writes what the runner has done wrong to the report of this process, each different sentence once, and on stderr
/// where no report was asked for. A real device would have said nothing.
/// @param kind a word of the README's list. @param sentence without full stop.
void report(std::string_view kind, const std::string& sentence);

/// One line of the log of this process; nothing where none was asked for.
void log_line(const std::string& json);
bool logs();

/// The text as a JSON string.
std::string json_text(std::string_view text);

}  // namespace overlap::virtual_device
