#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace overlap {

/// A hash that is the same on every machine and in every run (splitmix64's finaliser over what was added, in order).
class StructureHash {
  public:
    StructureHash& add(std::uint64_t value) {
        std::uint64_t mixed = state_ ^ (value + 0x9e3779b97f4a7c15u + (state_ << 6) + (state_ >> 2));
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        state_ = mixed ^ (mixed >> 31);
        return *this;
    }
    StructureHash& add(double value) { return add(std::bit_cast<std::uint64_t>(value)); }
    StructureHash& add(std::string_view text) {
        for (const char letter : text) add(std::uint64_t{static_cast<unsigned char>(letter)});
        return add(std::uint64_t{text.size()});
    }
    std::uint64_t value() const { return state_; }

  private:
    std::uint64_t state_ = 0;
};

}  // namespace overlap
