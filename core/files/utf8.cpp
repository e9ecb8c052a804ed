#include "core/files/utf8.h"

#include <simdjson.h>

#include <cstddef>
#include <string>

#include "core/base/error.h"

namespace overlap {

namespace {

/// Place of the first byte that is no UTF-8; sequences as in RFC 3629.
std::size_t first_invalid_utf8(std::string_view text) {
    const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    std::size_t at = 0;
    while (at < text.size()) {
        const unsigned lead = byte(at);
        if (lead < 0x80) {
            ++at;
            continue;
        }
        std::size_t length = 0;
        unsigned least = 0x80, greatest = 0xbf;  // of the second byte
        if (lead >= 0xc2 && lead <= 0xdf) length = 2;
        if (lead >= 0xe0 && lead <= 0xef) {
            length = 3;
            if (lead == 0xe0) least = 0xa0;
            if (lead == 0xed) greatest = 0x9f;
        }
        if (lead >= 0xf0 && lead <= 0xf4) {
            length = 4;
            if (lead == 0xf0) least = 0x90;
            if (lead == 0xf4) greatest = 0x8f;
        }
        if (length == 0 || byte(at + 1) < least || byte(at + 1) > greatest) return at;
        for (std::size_t next = 2; next < length; ++next) {
            if (byte(at + next) < 0x80 || byte(at + next) > 0xbf) return at;
        }
        at += length;
    }
    return text.size();
}

}  // namespace

void require_utf8(std::string_view text) {
    if (simdjson::validate_utf8(text.data(), text.size())) return;
    throw InputError("byte " + std::to_string(first_invalid_utf8(text)), "this is not UTF-8, and JSON must be");
}

}  // namespace overlap
