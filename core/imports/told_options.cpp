#include "core/imports/told_options.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap {
namespace {

std::int64_t whole_number(std::string_view text, const std::string& place) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    throw InputError("", place, "expected a whole number, found " + in_quotes(shortened(text)));
}

/// NAME and VALUE of `NAME=VALUE`.
std::pair<std::string, std::string_view> name_and_value(std::string_view text, const std::string& place) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw InputError("", place, "expected NAME=VALUE, found " + in_quotes(shortened(text)));
    }
    return {std::string(text.substr(0, equals)), text.substr(equals + 1)};
}

}  // namespace

namespace {

constexpr std::int64_t most_ranks = 1'000'000;

/// A rank, or a range of them: `0-7`.
void add_ranks(std::string_view text, const std::string& place, ProcessGroup& group) {
    const std::size_t dash = text.find('-', 1);
    const bool is_range = dash != std::string_view::npos;
    const std::int64_t first = whole_number(text.substr(0, dash), place);
    const std::int64_t last = is_range ? whole_number(text.substr(dash + 1), place) : first;
    if (first < 0 || last > std::numeric_limits<int>::max())
        throw InputError("", place,
                         "expected different ranks from 0 on, found " + std::to_string(first < 0 ? first : last));
    if (last < first) throw InputError("", place, "expected a range such as 0-7, found " + in_quotes(shortened(text)));
    if (last - first >= most_ranks)
        throw InputError("", place, "a group of more than a million ranks, " + in_quotes(shortened(text)));
    for (std::int64_t rank = first; rank <= last; ++rank) group.ranks.push_back(static_cast<int>(rank));
}

/// @throws InputError where a rank is there twice.
void check_ranks_differ(const ProcessGroup& group, const std::string& place) {
    std::vector<int> ranks(group.ranks.begin(), group.ranks.end());
    std::ranges::sort(ranks);
    const auto twice = std::ranges::adjacent_find(ranks);
    if (twice != ranks.end())
        throw InputError("", place, "expected different ranks from 0 on, found " + std::to_string(*twice) + " twice");
}

}  // namespace

ProcessGroup told_process_group(std::string_view text, const std::string& place) {
    const auto [name, ranks] = name_and_value(text, place);
    ProcessGroup group;
    group.name = name;
    for (std::size_t begin = 0; begin <= ranks.size();) {
        const std::size_t end = std::min(ranks.find(',', begin), ranks.size());
        add_ranks(ranks.substr(begin, end - begin), place + ' ' + name, group);
        begin = end + 1;
    }
    check_ranks_differ(group, place + ' ' + name);
    return group;
}

std::pair<std::string, std::int64_t> told_symbol(std::string_view text, const std::string& place) {
    const auto [name, value] = name_and_value(text, place);
    const std::int64_t size = whole_number(value, place + ' ' + name);
    if (size < 0) throw InputError("", place + ' ' + name, "expected a size from 0 on, found " + std::to_string(size));
    return {name, size};
}

}  // namespace overlap
