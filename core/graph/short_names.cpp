#include "core/graph/short_names.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace overlap {
namespace {

constexpr std::size_t most_names = 3;  ///< that are named as they are

/// A path cut around one of its parts, which is a number.
struct Numbered {
    std::string_view before, behind;
    std::uint64_t number = 0;
};

/// The number that the text is; nothing where it is none or would be written otherwise, such as `007`.
std::optional<std::uint64_t> plain_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || std::to_string(number) != text) return std::nullopt;
    return number;
}

/// `path` cut around the one part that is a number there and one less in `earlier`, all else being equal.
std::optional<Numbered> next_number(std::string_view earlier, std::string_view path) {
    std::size_t begin = 0;
    while (begin <= path.size() && begin <= earlier.size()) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        const std::size_t earlier_end = std::min(earlier.find('.', begin), earlier.size());
        const std::string_view part = path.substr(begin, end - begin);
        const std::string_view before = earlier.substr(begin, earlier_end - begin);
        if (part != before) {
            const std::optional<std::uint64_t> number = plain_number(part), lower = plain_number(before);
            if (!number || !lower || *number != *lower + 1 || path.substr(end) != earlier.substr(earlier_end))
                return std::nullopt;
            return Numbered{path.substr(0, begin), path.substr(end), *number};
        }
        begin = end + 1;
    }
    return std::nullopt;
}

std::vector<ShortName> ranges_of(std::span<const std::string> paths) {
    std::vector<ShortName> ranges;
    for (std::size_t begin = 0; begin < paths.size();) {
        std::size_t end = begin + 1;
        std::optional<Numbered> last;
        while (end < paths.size()) {
            const std::optional<Numbered> next = next_number(paths[end - 1], paths[end]);
            // The same part all along: `a.0.0`, `a.0.1`, `a.1.1` are no range.
            if (!next || (last && (next->before != last->before || next->behind != last->behind))) break;
            last = next;
            ++end;
        }
        if (!last) {
            ranges.push_back({paths[begin], 1});
        } else {
            const std::uint64_t first = last->number - (end - begin - 1);
            std::string text(last->before);
            text.append("[").append(std::to_string(first)).append("-").append(std::to_string(last->number)).append("]");
            ranges.push_back({text.append(last->behind), end - begin});
        }
        begin = end;
    }
    return ranges;
}

std::vector<std::string> texts_of(const std::vector<ShortName>& names) {
    std::vector<std::string> texts;
    for (const ShortName& name : names) texts.push_back(name.text);
    return texts;
}

}  // namespace

std::vector<std::string> module_ranges(std::span<const std::string> paths) {
    return texts_of(ranges_of(paths));
}

std::vector<ShortName> short_names_of(std::span<const std::string> paths) {
    if (paths.size() > most_names) return ranges_of(paths);
    std::vector<ShortName> names;
    for (const std::string& path : paths) names.push_back({path, 1});
    return names;
}

std::vector<std::string> short_names(std::span<const std::string> paths) {
    return texts_of(short_names_of(paths));
}

}  // namespace overlap
