#pragma once

#include <string>
#include <string_view>

namespace overlap {

/// `text` as one gzip stream that depends on nothing but the text (no time, no name).
std::string gzip_compressed(std::string_view text);

/// As write_file_atomically, compressed when `path` ends in `.gz`.
void write_json_file(const std::string& path, std::string_view text);

}  // namespace overlap
