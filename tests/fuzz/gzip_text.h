#pragma once

#include <string_view>

namespace overlap::fuzz {

/// Counts what a gzip stream holds as far as it is whole (see count_input()): the bound on memory is about texts, and a
/// reader has to have the text. Does nothing with other bytes.
void count_gzip_text(std::string_view input);

}  // namespace overlap::fuzz
