#pragma once

#include <string_view>

namespace overlap {

/// @throws InputError with the first byte of `text`, a JSON document, that is no UTF-8 (RFC 3629).
void require_utf8(std::string_view text);

}  // namespace overlap
