#include "core/base/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace overlap {
namespace {

using State = std::array<std::uint32_t, 4>;

/// floor(2^32 * |sin(i + 1)|), as the RFC defines them.
const std::array<std::uint32_t, 64>& sines() {
    static const std::array<std::uint32_t, 64> table = [] {
        std::array<std::uint32_t, 64> made{};
        for (std::size_t index = 0; index < made.size(); ++index) {
            made[index] = static_cast<std::uint32_t>(std::floor(4294967296.0 * std::fabs(std::sin(index + 1.0))));
        }
        return made;
    }();
    return table;
}

constexpr std::array<int, 16> shifts = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
constexpr std::size_t block_bytes = 64;

void add_block(State& state, const char* block) {
    static const std::array<std::uint32_t, 64>& sine = sines();
    std::array<std::uint32_t, 16> words{};
    for (std::size_t word = 0; word < words.size(); ++word) {
        for (std::size_t byte = 0; byte < 4; ++byte) {
            words[word] |= static_cast<std::uint32_t>(static_cast<unsigned char>(block[4 * word + byte])) << (8 * byte);
        }
    }
    auto [a, b, c, d] = state;
    for (std::uint32_t step = 0; step < 64; ++step) {
        std::uint32_t mixed = 0;
        std::uint32_t word = 0;
        switch (step / 16) {
            case 0:
                mixed = (b & c) | (~b & d);
                word = step;
                break;
            case 1:
                mixed = (d & b) | (~d & c);
                word = (5 * step + 1) % 16;
                break;
            case 2:
                mixed = b ^ c ^ d;
                word = (3 * step + 5) % 16;
                break;
            default:
                mixed = c ^ (b | ~d);
                word = (7 * step) % 16;
        }
        const std::uint32_t sum = a + mixed + sine[step] + words[word];
        a = d;
        d = c;
        c = b;
        b += std::rotl(sum, shifts[step / 16 * 4 + step % 4]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

}  // namespace

std::string md5_hexadecimal(std::string_view bytes) {
    State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    std::size_t position = 0;
    for (; position + block_bytes <= bytes.size(); position += block_bytes) add_block(state, bytes.data() + position);
    std::string rest(bytes.substr(position));
    rest += '\x80';
    while (rest.size() % block_bytes != block_bytes - 8) rest += '\0';
    const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    for (int byte = 0; byte < 8; ++byte) rest += static_cast<char>(bits >> (8 * byte));
    for (position = 0; position < rest.size(); position += block_bytes) add_block(state, rest.data() + position);
    std::string text;
    for (const std::uint32_t word : state) {
        for (int byte = 0; byte < 4; ++byte) {
            const auto value = word >> (8 * byte) & 0xff;
            text += "0123456789abcdef"[value >> 4];
            text += "0123456789abcdef"[value & 15];
        }
    }
    return text;
}

}  // namespace overlap
