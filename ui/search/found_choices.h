#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/search/plan_search_task.h"

namespace overlap::ui {

/// A plan that a search leaves to choose: found, or one that it was compared with.
struct FoundChoice {
    QString title;
    Plan plan;
    double step_ms = 0, bound_ms = 0;
    std::int64_t peak_bytes = 0;
    std::optional<double> shown_ms{};  ///< the step that the window shows of it, opened; nothing: not known
    int name_rank = 1;                 ///< in the chart: see StepPeakChart::Point
};

/// The plan that was shown when a search began.
struct SearchStart {
    quint64 key = 0;
    QString title;
    double step_ms = 0;  ///< with links shared, as those of all that is found
    std::int64_t peak_bytes = 0;
    std::optional<Plan> plan{};  ///< nothing: it was the baseline
};

/// The best first, then the front, then what it was compared with and has what is locked; one for each step and peak.
std::vector<FoundChoice> choicesOf(const FoundPlans& found);

/// The one with the shortest step within a limit of the peak, and the first one where it is hardly longer; -1 where
/// none is within it.
int bestWithin(const std::vector<FoundChoice>& choices, std::optional<std::int64_t> limit);

/// What a choice gains, how far it is above the bound, why, and what changes from the plan that was shown.
/// @param is_best what the bound is made of is said of it alone.
QStringList sentencesOn(const FoundPlans& found, const SearchStart& start, const FoundChoice& choice, bool is_best);

/// Such as `2.7 % above the bound`.
QString aboveBound(double step_ms, double bound_ms);

}  // namespace overlap::ui
