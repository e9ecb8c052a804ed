#pragma once

#include <string>
#include <string_view>

namespace overlap {

/// `text` as one gzip stream that depends on nothing but the text (no time, no name).
std::string gzip_compressed(std::string_view text);

/// Writes `bytes` to `path`. The file appears whole or not at all: a temporary file beside it is written, synchronised
/// and renamed. The permissions of a file that was there before stay.
/// @throws InputError with the path and the system's reason.
void write_file_atomically(const std::string& path, std::string_view bytes);

/// As write_file_atomically, compressed when `path` ends in `.gz`.
void write_json_file(const std::string& path, std::string_view text);

}  // namespace overlap
