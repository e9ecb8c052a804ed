#include "tests/fuzz/gzip_text.h"

#include <array>
#include <utility>

#include "core/base/error.h"
#include "core/files/gzip_reader.h"
#include "tests/fuzz/fuzz_target.h"

namespace overlap::fuzz {

void count_gzip_text(std::string_view input) {
    if (!is_gzip(input)) return;
    static std::array<char, 64 * 1024> piece;
    GzipReader reader([&] { return std::exchange(input, std::string_view()); });
    try {
        while (const std::size_t bytes = reader.read(piece)) count_input(bytes);
    } catch (const InputError&) {
        // Damaged from here on.
    }
}

}  // namespace overlap::fuzz
