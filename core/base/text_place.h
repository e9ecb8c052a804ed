#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace overlap {

/// Where a byte of a text is, for errors: `line 3, column 14`. Both count from 1, columns in characters of UTF-8.
std::string text_place(std::string_view text, std::size_t byte);

}  // namespace overlap
