#pragma once

#include "ui/memory/policy_search.h"
#include "ui/widgets/charts/step_peak_chart.h"

namespace overlap::ui {

/// Step against peak of the memory policies with the rest of a plan.
class PolicyChart : public StepPeakChart {
    Q_OBJECT

  public:
    explicit PolicyChart(QWidget* parent = nullptr);

    void clearPolicies();
    void addPolicy(const PolicyPoint& point);
    const MemoryChoice& choiceOf(const Point& point) const { return choices_[static_cast<std::size_t>(point.id)]; }

  signals:
    void policyChosen(const overlap::MemoryChoice& choice);

  private:
    std::vector<MemoryChoice> choices_;  ///< by the ids of points
};

}  // namespace overlap::ui
