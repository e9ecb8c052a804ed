#include "core/trace/process_group_ranks.h"

#include <algorithm>
#include <charconv>

namespace overlap {

std::optional<std::vector<std::int64_t>> ranks_in(std::string_view text) {
    const auto skip_spaces = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); };
    const auto take = [&](char letter) {
        skip_spaces();
        if (text.empty() || text.front() != letter) return false;
        text.remove_prefix(1);
        return true;
    };
    std::vector<std::int64_t> ranks;
    if (!take('[')) return std::nullopt;
    if (!take(']')) {
        do {
            skip_spaces();
            std::int64_t rank = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
            if (error != std::errc()) return std::nullopt;
            text.remove_prefix(static_cast<std::size_t>(end - text.data()));
            ranks.push_back(rank);
        } while (take(','));
        if (!take(']')) return std::nullopt;
    }
    skip_spaces();
    if (!text.empty()) return std::nullopt;
    return ranks;
}

}  // namespace overlap
