#include "ui/timeline/view_history.h"

namespace overlap::ui {
namespace {

constexpr qint64 oneGlideMs = 600;
constexpr std::size_t longestHistory = 200;

TimeRange taken(std::vector<TimeRange>& from, std::vector<TimeRange>& to, TimeRange current) {
    to.push_back(current);
    const TimeRange range = from.back();
    from.pop_back();
    return range;
}

}  // namespace

void ViewHistory::leaving(TimeRange range, Motion motion) {
    if (motion == Motion::Gliding) {
        const bool goesOn = lastGlide_.isValid() && lastGlide_.elapsed() < oneGlideMs;
        lastGlide_.start();
        if (goesOn) return;
    } else {
        lastGlide_.invalidate();
    }
    future_.clear();
    if (!past_.empty() && past_.back() == range) return;
    past_.push_back(range);
    if (past_.size() > longestHistory) past_.erase(past_.begin());
}

TimeRange ViewHistory::back(TimeRange current) {
    lastGlide_.invalidate();
    return taken(past_, future_, current);
}

TimeRange ViewHistory::forward(TimeRange current) {
    lastGlide_.invalidate();
    return taken(future_, past_, current);
}

void ViewHistory::clear() {
    *this = {};
}

}  // namespace overlap::ui
