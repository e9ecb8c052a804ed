#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace overlap {

/// A 64-bit hash over words, the same on every machine: it never looks at memory as bytes. Not for secrets: it detects
/// changes made by mistake or by hand, not forgeries.
class WordHash {
  public:
    void add(std::uint64_t word) {
        state_ = std::rotl(state_ ^ (word * 0x9e3779b97f4a7c15u), 27) * 0xbf58476d1ce4e5b9u + 0x94d049bb133111ebu;
    }

    /// The hash with every bit of the state spread over all of it.
    std::uint64_t value() const {
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        return mixed ^ (mixed >> 31);
    }

  private:
    std::uint64_t state_ = 0x6f7665726c617021u;
};

/// The word that stands for a text; never 0.
inline std::uint64_t word_of_text(std::string_view text) {
    WordHash hash;
    hash.add(text.size());
    for (std::size_t at = 0; at < text.size();) {
        std::uint64_t word = 0;
        for (unsigned shift = 0; shift < 64 && at < text.size(); shift += 8, ++at) {
            word |= std::uint64_t{static_cast<unsigned char>(text[at])} << shift;
        }
        hash.add(word);
    }
    return hash.value() | 1;
}

/// 16 digits.
inline std::string hexadecimal(std::uint64_t number) {
    std::string digits(16, '0');
    for (std::size_t place = digits.size(); place-- > 0; number >>= 4) digits[place] = "0123456789abcdef"[number & 15];
    return digits;
}

}  // namespace overlap
