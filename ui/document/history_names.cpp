#include "ui/document/history_names.h"

#include <utility>

namespace overlap::ui {
namespace {

bool hasName(const PlanChange::Side& side, const std::string& name) {
    return side.rest && side.rest->name == name;
}

PlanChange::Side withNewNameIn(const PlanChange::Side& side, const std::string& old_name, const std::string& new_name) {
    if (!hasName(side, old_name)) return side;
    auto rest = std::make_shared<Plan>(*side.rest);
    rest->name = new_name;
    return {side.entries, std::move(rest)};
}

}  // namespace

std::shared_ptr<const PlanHistory> withNewName(const std::shared_ptr<const PlanHistory>& history,
                                               const std::string& old_name, const std::string& new_name) {
    if (!history || old_name == new_name) return history;
    std::shared_ptr<PlanHistory> renamed;
    for (std::size_t i = 0; i < history->edits.size(); ++i) {
        const PlanHistory::Edit& edit = *history->edits[i];
        const PlanChange& change = edit.change;
        if (!hasName(change.before(), old_name) && !hasName(change.after(), old_name)) continue;
        if (!renamed) renamed = std::make_shared<PlanHistory>(*history);
        // In no file of the session: that has the edit with the old name.
        renamed->edits[i] = std::make_shared<const PlanHistory::Edit>(PlanHistory::Edit{
            edit.text,
            PlanChange(change.count(), change.first(), withNewNameIn(change.before(), old_name, new_name),
                       withNewNameIn(change.after(), old_name, new_name)),
            edit.merge_key});
    }
    return renamed ? renamed : history;
}

}  // namespace overlap::ui
