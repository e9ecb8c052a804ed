#include "tests/fuzz/choices.h"

#include <algorithm>

namespace overlap::fuzz {

std::uint8_t Choices::byte() {
    if (input_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(input_.front());
    input_.remove_prefix(1);
    return first;
}

std::size_t Choices::below(std::size_t count) {
    if (count < 2) return 0;
    std::size_t number = byte();
    if (count > 256) number = number << 8 | byte();
    return number % count;
}

std::string_view Choices::text() {
    const std::size_t size = std::min<std::size_t>(byte(), input_.size());
    const std::string_view bytes = input_.substr(0, size);
    input_.remove_prefix(size);
    return bytes;
}

}  // namespace overlap::fuzz
