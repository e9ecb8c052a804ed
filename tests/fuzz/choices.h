#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace overlap::fuzz {

/// An input read as decisions, one byte or more each, from its front. Behind its end every decision is 0, so that each
/// input is a complete case and a short one a simple case.
class Choices {
  public:
    explicit Choices(std::string_view input) : input_(input), lot_(std::hash<std::string_view>{}(input)) {}

    bool is_empty() const { return input_.empty(); }
    /// A number below `count`; 0 for a count of 0.
    std::size_t below(std::size_t count);
    /// Yes once in `times`.
    bool one_in(std::size_t times) { return times != 0 && below(times) == times - 1; }
    /// Yes for one input in `times`, whatever its bytes decide. For checks that are dear and run much code: the fuzzer
    /// likes inputs that choose them, and would soon make little else.
    bool by_lot(std::size_t times) const { return lot_ % times == 0; }
    /// One of `items`, which are some.
    template <typename Item>
    const Item& one_of(std::span<const Item> items) {
        return items[below(items.size())];
    }
    template <typename List>
    const typename List::value_type& one_of(const List& items) {
        return items[below(items.size())];
    }
    /// A few bytes as they are: at most 255.
    std::string_view text();

  private:
    std::uint8_t byte();

    std::string_view input_;
    std::size_t lot_;
};

}  // namespace overlap::fuzz
