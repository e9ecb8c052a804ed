#include "ui/session/closed_plans.h"

#include <algorithm>

#include "ui/tasks/task_failure.h"

namespace overlap::ui {

void ClosedPlans::close(SessionVariant plan, const KeepAside& keep_aside) {
    plans_.push_back(std::move(plan));
    if (plans_.size() <= limit) return;
    auto oldest =
        std::find_if(plans_.begin(), plans_.end(), [](const SessionVariant& closed) { return !closed.modified; });
    if (oldest == plans_.end()) oldest = plans_.begin();
    if (!oldest->modified || keep_aside(oldest->plan)) plans_.erase(oldest);
}

bool ClosedPlans::putLast(const QByteArray& plan) {
    const auto same = [&](const SessionVariant& closed) { return closed.plan == plan; };
    const auto found = std::find_if(plans_.rbegin(), plans_.rend(), same);
    if (found == plans_.rend()) return false;
    std::rotate(found.base() - 1, found.base(), plans_.end());
    return true;
}

bool ClosedPlans::reopen(const std::function<void(const SessionVariant&)>& open, QString& reason) {
    reason.clear();
    for (std::size_t i = plans_.size(); i-- > 0;) {
        try {
            open(plans_[i]);
            plans_.erase(plans_.begin() + static_cast<std::ptrdiff_t>(i));
            return true;
        } catch (const std::exception& error) {
            if (reason.isEmpty()) reason = reasonOf(error);
        }
    }
    return false;
}

}  // namespace overlap::ui
