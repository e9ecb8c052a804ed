#include "ui/document/plan_history.h"

#include <algorithm>
#include <utility>

namespace overlap::ui {

void PlanHistories::keep(const QString& graph, PlanHistory history) {
    if (history.edits.empty()) return;
    kept_.push_back({graph, std::move(history)});
    if (kept_.size() > limit) kept_.pop_front();
}

std::optional<PlanHistory> PlanHistories::take(const QString& graph, const Plan& plan) {
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                    [&](const Kept& kept) { return kept.graph == graph && kept.history.plan == plan; });
    if (found == kept_.rend()) return std::nullopt;
    std::optional<PlanHistory> taken = std::move(found->history);
    kept_.erase(std::next(found).base());
    return taken;
}

}  // namespace overlap::ui
