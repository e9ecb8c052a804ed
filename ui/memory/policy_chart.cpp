#include "ui/memory/policy_chart.h"

#include "ui/theme/links_shared.h"

namespace overlap::ui {

PolicyChart::PolicyChart(QWidget* parent)
    : StepPeakChart(tr("Each point is a memory policy with the rest of this plan; a click takes it"), parent) {
    setObjectName("policyChart");
    setAllNamed(true);
    setFastestShown(true);
    setAccessibleName(tr("Step against peak memory of memory policies"));
    connect(this, &StepPeakChart::chosen, this, [this](int id) {
        // A copy: taking it may rebuild the points.
        const MemoryChoice choice = choices_[static_cast<std::size_t>(id)];
        emit policyChosen(choice);
    });
}

void PolicyChart::clearPolicies() {
    choices_.clear();
    setStepsText({});
    clear();
}

void PolicyChart::addPolicy(const PolicyPoint& point) {
    if (point.refused) {
        // A choice that the passes refuse is no point; where all are refused, the chart says why.
        if (points().empty()) setNote(QString::fromStdString(point.refusal));
        return;
    }
    // Nothing is said of links where they make no difference.
    if (point.shared) setStepsText(tr("steps of a job, %1").arg(linksSharedLabel()));
    add({static_cast<int>(choices_.size()), QString::fromStdString(point.choice.title), point.step_ms,
         point.peak_bytes});
    choices_.push_back(point.choice);
}

}  // namespace overlap::ui
