#pragma once

#include <string>
#include <string_view>

namespace overlap {

/// `text` between double quotes, as messages show names that a person or a file gave.
inline std::string in_quotes(std::string_view text) {
    std::string quoted = "\"";
    quoted += text;
    return quoted += '"';
}

}  // namespace overlap
