#include "ui/document/plan_history.h"

#include <algorithm>
#include <utility>

namespace overlap::ui {

bool fits(const PlanHistory& history, Plan plan) {
    const int count = static_cast<int>(history.edits.size());
    if (history.done < 0 || history.done > count || history.saved < -1 || history.saved > count) return false;
    const auto change = [&](int edit) -> const PlanChange& {
        return history.edits[static_cast<std::size_t>(edit)]->change;
    };
    // Down to the first state and up to the last one: each edit is looked at from both sides.
    for (int edit = history.done; edit-- > 0; plan = change(edit).undone(std::move(plan)))
        if (!change(edit).leaves(plan)) return false;
    for (int edit = 0; edit < count; plan = change(edit).redone(std::move(plan)), ++edit)
        if (!change(edit).finds(plan)) return false;
    return true;
}

void PlanHistories::keep(const QString& graph, const Plan& plan, std::shared_ptr<const PlanHistory> history) {
    if (history->empty()) return;
    kept_.push_back({graph, plan, std::move(history)});
    if (kept_.size() > limit) kept_.pop_front();
}

std::shared_ptr<const PlanHistory> PlanHistories::take(const QString& graph, const Plan& plan) {
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                    [&](const Kept& kept) { return kept.graph == graph && kept.plan == plan; });
    if (found == kept_.rend()) return nullptr;
    std::shared_ptr<const PlanHistory> taken = std::move(found->history);
    kept_.erase(std::next(found).base());
    return taken;
}

}  // namespace overlap::ui
