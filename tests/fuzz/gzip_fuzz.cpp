// libFuzzer target: any bytes are refused or a gzip stream of no more than the format can hold in them.

#include <array>

#include "core/files/gzip_reader.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    constexpr std::size_t piece_bytes = 512;
    const std::size_t greatest = 1032 * input.size();
    std::vector<GzipCheckpoint> checkpoints;
    GzipReader reader([rest = input]() mutable {
        const std::string_view piece = rest.substr(0, piece_bytes);
        rest.remove_prefix(piece.size());
        return piece;
    });
    reader.keep_checkpoints(checkpoints);
    static std::array<char, 64 * 1024> output;
    std::size_t total = 0;
    while (const std::size_t read = reader.read(output)) total += read;
    require(total <= greatest, "more was decompressed than the format can hold");
    require(reader.consumed() <= input.size(), "more was read than there is");
}
