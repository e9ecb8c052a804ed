#pragma once

#include <string>
#include <string_view>

namespace overlap {

/// The MD5 checksum of bytes in hexadecimal digits (RFC 1321). For comparing with checksums in files, not for secrets.
std::string md5_hexadecimal(std::string_view bytes);

}  // namespace overlap
