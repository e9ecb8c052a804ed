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

ProcessGroup told_process_group(std::string_view text, const std::string& place) {
    const auto [name, ranks] = name_and_value(text, place);
    ProcessGroup group;
    group.name = name;
    for (std::size_t begin = 0; begin <= ranks.size();) {
        const std::size_t end = std::min(ranks.find(',', begin), ranks.size());
        const std::int64_t rank = whole_number(ranks.substr(begin, end - begin), place + ' ' + name);
        if (rank < 0 || rank > std::numeric_limits<int>::max() ||
            std::ranges::find(group.ranks, static_cast<int>(rank)) != group.ranks.end()) {
            throw InputError("", place + ' ' + name,
                             "expected different ranks from 0 on, found " + std::to_string(rank));
        }
        group.ranks.push_back(static_cast<int>(rank));
        begin = end + 1;
    }
    return group;
}

std::pair<std::string, std::int64_t> told_symbol(std::string_view text, const std::string& place) {
    const auto [name, value] = name_and_value(text, place);
    const std::int64_t size = whole_number(value, place + ' ' + name);
    if (size < 0) throw InputError("", place + ' ' + name, "expected a size from 0 on, found " + std::to_string(size));
    return {name, size};
}

}  // namespace overlap
