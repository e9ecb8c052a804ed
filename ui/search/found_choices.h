#pragma once

#include <QString>
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

/// The best first, then the front, then what it was compared with; one for each step and peak.
std::vector<FoundChoice> choicesOf(const FoundPlans& found);

/// Such as `2.7 % above the bound`.
QString aboveBound(double step_ms, double bound_ms);

}  // namespace overlap::ui
