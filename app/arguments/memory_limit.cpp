#include "app/arguments/memory_limit.h"

#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/limit_text.h"
#include "core/base/quote.h"
#include "core/memory/device_memory.h"
#include "core/memory/memory_profile.h"

namespace overlap::commands {
namespace {

/// @param names of what the limit may be counted from, of which `device` may be missing.
/// @throws InputError where it is no limit.
std::int64_t limit_in(const std::string& text, const std::vector<NamedLimit>& names) {
    // A number without a unit is of bytes, as programs give it.
    const LimitText limit = read_limit(text, names, 1);
    if (!limit.bytes)
        throw InputError("--memory-limit",
                         "expected bytes, 40GiB, baseline" + std::string(names.size() > 1 ? ", device" : "") +
                             " or a sum such as baseline+10%, not " + in_quotes(shortened(text)) + ": " + limit.reason);
    constexpr double most = 1e18;
    if (*limit.bytes > most)
        throw InputError("--memory-limit", in_quotes(shortened(text)) + " is more than any device holds");
    return static_cast<std::int64_t>(std::floor(*limit.bytes));
}

}  // namespace

std::string memory_limit_error(const std::string& text) {
    // What the names stand for is known with the graph: until then any bytes do, and what they come to says nothing.
    const std::vector<NamedLimit> names{{"baseline", 1}, {"device", 1}};
    if (read_limit(text, names, 1).depends_on_names) return {};
    try {
        limit_in(text, names);
    } catch (const InputError& error) {
        return error.problem();
    }
    return {};
}

std::optional<std::int64_t> read_memory_limit(const std::string& text, const Graph& graph) {
    if (text.empty()) return {};
    std::vector<NamedLimit> names{{"baseline", memory_profile(graph, StorageRule::corrected).peak_bytes}};
    const std::int64_t device = device_memory_bytes(graph);
    if (device > 0) names.emplace_back("device", device);
    return limit_in(text, names);
}

}  // namespace overlap::commands
