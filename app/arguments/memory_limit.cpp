#include "app/arguments/memory_limit.h"

#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/limit_text.h"
#include "core/base/quote.h"
#include "core/memory/device_memory.h"
#include "core/memory/memory_profile.h"

namespace overlap::commands {
std::optional<std::int64_t> read_memory_limit(const std::string& text, const Graph& graph) {
    if (text.empty()) return {};
    std::vector<NamedLimit> names{{"baseline", memory_profile(graph, StorageRule::corrected).peak_bytes}};
    const std::int64_t device = device_memory_bytes(graph);
    if (device > 0) names.emplace_back("device", device);
    // A number without a unit is of bytes, as programs give it.
    const LimitText limit = read_limit(text, names, 1);
    if (!limit.bytes)
        throw InputError("--memory-limit",
                         "expected bytes, 40GiB, baseline" + std::string(device > 0 ? ", device" : "") +
                             " or a sum such as baseline+10%, not " + in_quotes(shortened(text)) + ": " + limit.reason);
    constexpr double most = 1e18;
    if (*limit.bytes > most)
        throw InputError("--memory-limit", in_quotes(shortened(text)) + " is more than any device holds");
    return static_cast<std::int64_t>(std::floor(*limit.bytes));
}

}  // namespace overlap::commands
