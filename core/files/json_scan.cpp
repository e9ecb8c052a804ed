#include "core/files/json_scan.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace overlap {

namespace {

constexpr std::size_t npos = std::string_view::npos;

enum class Letter : std::uint8_t { other, quote, open, close, comma };

constexpr std::array<Letter, 256> letters = [] {
    std::array<Letter, 256> table{};
    table['"'] = Letter::quote;
    table['{'] = table['['] = Letter::open;
    table['}'] = table[']'] = Letter::close;
    table[','] = Letter::comma;
    return table;
}();

Letter letter_at(std::string_view text, std::size_t at) {
    return letters[static_cast<unsigned char>(text[at])];
}

bool is_white(char letter) {
    return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

/// The place behind the quote that ends the string which begins in front of `at`; npos if it is not there.
std::size_t string_end(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const void* quote = std::memchr(text.data() + at, '"', text.size() - at);
        if (!quote) return npos;
        const auto place = static_cast<std::size_t>(static_cast<const char*>(quote) - text.data());
        std::size_t backslashes = 0;
        while (place - backslashes > at && text[place - backslashes - 1] == '\\') ++backslashes;
        if (backslashes % 2 == 0) return place + 1;
        at = place + 1;
    }
    return npos;
}

constexpr std::size_t block_bytes = 64;

/// Where a block of text has each of the letters that matter: a bit for a byte, the first byte lowest.
struct Letters {
    std::uint64_t quotes = 0, backslashes = 0, opens = 0, closes = 0, commas = 0;
};

#if defined(__SSE2__)

/// @param text of block_bytes.
Letters letters_of(const char* text) {
    Letters found;
    for (std::size_t part = 0; part < block_bytes; part += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + part));
        // Brackets differ from braces by one bit.
        const __m128i braces = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        const auto places = [part](__m128i of, char letter) {
            const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(of, _mm_set1_epi8(letter)));
            return std::uint64_t{static_cast<std::uint32_t>(mask)} << part;
        };
        found.quotes |= places(bytes, '"');
        found.backslashes |= places(bytes, '\\');
        found.opens |= places(braces, '{');
        found.closes |= places(braces, '}');
        found.commas |= places(bytes, ',');
    }
    return found;
}

#else

Letters letters_of(const char* text) {
    Letters found;
    for (std::size_t place = 0; place < block_bytes; ++place) {
        const std::uint64_t bit = std::uint64_t{1} << place;
        const Letter letter = letter_at({text, block_bytes}, place);
        if (letter == Letter::quote) found.quotes |= bit;
        if (letter == Letter::open) found.opens |= bit;
        if (letter == Letter::close) found.closes |= bit;
        if (letter == Letter::comma) found.commas |= bit;
        if (text[place] == '\\') found.backslashes |= bit;
    }
    return found;
}

#endif

/// The same outside of strings.
struct Structure {
    std::uint64_t opens = 0, closes = 0, commas = 0;
};

/// Reads a text block by block and remembers whether a string continues.
class BlockReader {
  public:
    /// @param text the next block; the last one may be shorter.
    Structure read(std::string_view text) {
        std::array<char, block_bytes> padded;
        const char* begin = text.data();
        if (text.size() < block_bytes) {
            padded.fill(' ');
            std::copy(text.begin(), text.end(), padded.begin());
            begin = padded.data();
        }
        const Letters found = letters_of(begin);
        // Each bit becomes the number, odd or even, of quotes up to it: odd is within a string.
        std::uint64_t in_string = found.quotes & ~escaped(found.backslashes);
        for (int distance = 1; distance < 64; distance *= 2) in_string ^= in_string << distance;
        in_string ^= in_string_;
        in_string_ = (in_string >> 63) != 0 ? ~std::uint64_t{0} : 0;
        return {found.opens & ~in_string, found.closes & ~in_string, found.commas & ~in_string};
    }

    bool is_in_string() const { return in_string_ != 0; }

  private:
    /// Letters behind a backslash that is not itself behind one.
    std::uint64_t escaped(std::uint64_t backslashes) {
        std::uint64_t behind = next_is_escaped_ ? 1 : 0;
        next_is_escaped_ = false;
        for (std::uint64_t bits = backslashes; bits != 0; bits &= bits - 1) {
            const std::uint64_t bit = bits & -bits;
            if (behind & bit) continue;
            behind |= bit << 1;
            next_is_escaped_ = (bit >> 63) != 0;
        }
        return behind;
    }

    std::uint64_t in_string_ = 0;  ///< all bits or none
    bool next_is_escaped_ = false;
};

}  // namespace

std::size_t json_value_end(std::string_view text) {
    if (text.empty()) return npos;
    const Letter first = letter_at(text, 0);
    if (first == Letter::quote) return string_end(text, 1);
    std::size_t depth = 0, at = 0;
    while (at < text.size()) {
        switch (letter_at(text, at)) {
            case Letter::quote:
                at = string_end(text, at + 1);
                if (at == npos) return npos;
                continue;
            case Letter::open:
                ++depth;
                break;
            case Letter::close:
                if (depth == 0) return at;
                if (--depth == 0) return at + 1;
                break;
            case Letter::comma:
                if (depth == 0) return at;
                break;
            case Letter::other:
                if (depth == 0 && is_white(text[at])) return at;
                break;
        }
        ++at;
    }
    return npos;
}

JsonListCut json_list_cut(std::string_view text) {
    JsonListCut cut;
    BlockReader blocks;
    std::size_t depth = 0;
    for (std::size_t begin = 0; begin < text.size(); begin += block_bytes) {
        const Structure found = blocks.read(text.substr(begin, block_bytes));
        const auto closes = static_cast<std::size_t>(std::popcount(found.closes));
        if (depth > closes) {  // everything here is within an entry
            depth += static_cast<std::size_t>(std::popcount(found.opens)) - closes;
            continue;
        }
        for (std::uint64_t bits = found.opens | found.closes | found.commas; bits != 0; bits &= bits - 1) {
            const std::uint64_t bit = bits & -bits;
            const std::size_t place = begin + static_cast<std::size_t>(std::countr_zero(bits));
            if (found.opens & bit) {
                ++depth;
            } else if (depth == 0) {
                cut.place = place;
                cut.is_closed = (found.closes & bit) != 0;
                if (cut.is_closed) return cut;
            } else if (found.closes & bit) {
                --depth;
            }
        }
    }
    cut.is_whole = depth == 0 && !blocks.is_in_string();
    return cut;
}

}  // namespace overlap
