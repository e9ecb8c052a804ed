#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/search/found_plans.h"

namespace overlap::ui {

/// The one with the shortest step within a limit of the peak, and the first one where it is hardly longer; -1 where
/// none is within it.
int bestWithin(const std::vector<FoundChoice>& choices, std::optional<std::int64_t> limit);
/// The one with the lowest peak. There is at least one.
int closestToLimit(const std::vector<FoundChoice>& choices);
/// The one to choose first: the best within the limit; where none is within it the one that comes closest.
int firstChoice(const std::vector<FoundChoice>& choices, std::optional<std::int64_t> limit);

/// What a choice gains, how far it is above the bound, why, and what changes from the plan that was shown.
/// @param choice index of FoundPlans::choices. What the bound is made of is said of the best alone.
QStringList sentencesOn(const FoundPlans& found, std::size_t choice);

/// How the search ended, and where its best is from.
QString captionOf(const FoundPlans& found);

/// A phrase of captionOf() or sentencesOn(), and the choice that it speaks of.
struct NamedChoice {
    QString phrase;
    int choice = 0;
};
std::vector<NamedChoice> namedChoices(const FoundPlans& found);

/// The step of a choice as the toolbar tells it once it is opened, see told_step_ms().
double toldStep(const FoundChoice& choice);

/// What a choice is called as a plan of its own: found_plan_name(); what the search compared with has its own name.
QString openedName(const FoundChoice& choice);

/// Such as `2.7 % above the bound with the order kept`, rounded as in the toolbar.
/// @param any_order whether the bound is that of plans in any order of compute.
QString aboveBound(double step_ms, double bound_ms, bool any_order);

/// What steps of such a search are called, such as `with links shared`.
QString linksLabel(LinkSharing links);
/// What that means, the same for all that a search finds; a sentence without full stop.
QString linksHelp(LinkSharing links);

}  // namespace overlap::ui
