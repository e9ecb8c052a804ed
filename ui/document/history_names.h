#pragma once

#include <memory>
#include <string>

#include "ui/document/plan_history.h"

namespace overlap::ui {

/// The history of a plan that got another name without an edit: all states that had the old name have the new one, so
/// that undoing and redoing other edits does not bring the old name back.
/// @param history may be null. @returns `history` itself where no state has the old name.
std::shared_ptr<const PlanHistory> withNewName(const std::shared_ptr<const PlanHistory>& history,
                                               const std::string& old_name, const std::string& new_name);

}  // namespace overlap::ui
