#include "ui/session/range_restore.h"

#include <cmath>
#include <utility>

#include "ui/session/session_state.h"

namespace overlap::ui {
namespace {

constexpr double ns_per_ms = 1e6;

}  // namespace

std::optional<TimeRange> RangeRestore::timelineShown(const SessionDocument* kept) {
    if (!std::exchange(waiting_, false)) return {};
    if (!kept || kept->range_end_ms <= kept->range_start_ms) return {};
    return TimeRange{std::llround(kept->range_start_ms * ns_per_ms), std::llround(kept->range_end_ms * ns_per_ms)};
}

void RangeRestore::fill(SessionDocument& document, const SessionDocument* older, TimeRange shown) const {
    if (waiting_) {
        if (!older) return;
        document.range_start_ms = older->range_start_ms;
        document.range_end_ms = older->range_end_ms;
    } else {
        document.range_start_ms = static_cast<double>(shown.begin_ns) / ns_per_ms;
        document.range_end_ms = static_cast<double>(shown.end_ns) / ns_per_ms;
    }
}

}  // namespace overlap::ui
