#include "app/arguments/memory_limit.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "core/base/byte_units.h"
#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/memory/memory_profile.h"

namespace overlap::commands {
namespace {

std::optional<double> number_in(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return {};
    return number;
}

std::optional<double> bytes_in(std::string_view text, const Graph& graph) {
    const auto peak = [&] { return static_cast<double>(memory_profile(graph, StorageRule::corrected).peak_bytes); };
    if (text == "baseline") return peak();
    const bool is_signed = text.starts_with('+') || text.starts_with('-');
    if (is_signed && text.ends_with('%')) {
        const std::optional<double> percent = number_in(text.substr(1, text.size() - 2));
        if (!percent) return {};
        return peak() * (1 + (text[0] == '-' ? -*percent : *percent) / 100);
    }
    constexpr std::string_view gib = "GiB";
    if (text.ends_with(gib)) {
        const std::optional<double> number = number_in(text.substr(0, text.size() - gib.size()));
        return number ? std::optional(*number * bytes_per_gib) : std::nullopt;
    }
    return number_in(text);
}

}  // namespace

std::optional<std::int64_t> read_memory_limit(const std::string& text, const Graph& graph) {
    if (text.empty()) return {};
    const std::optional<double> bytes = bytes_in(text, graph);
    constexpr double most = 1e18;
    if (!bytes || *bytes < 0 || *bytes > most)
        throw InputError("--memory-limit",
                         "expected bytes, GiB such as 40GiB, baseline, or +10%, not " + in_quotes(text));
    return static_cast<std::int64_t>(std::floor(*bytes));
}

}  // namespace overlap::commands
