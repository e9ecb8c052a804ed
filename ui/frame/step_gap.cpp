#include "ui/frame/step_gap.h"

#include <utility>

#include "ui/document/document.h"

namespace overlap::ui {

StepGap::StepGap(Document& document, QObject* parent) : QObject(parent), document_(&document) {
    connect(&document, &Document::evaluationChanged, this, &StepGap::find);
    find();
}

void StepGap::find() {
    const std::shared_ptr<const Evaluation> evaluation = document_->evaluation();
    const bool known = evaluation && hasBound(*evaluation);
    const bool was_coming = std::exchange(coming_, known);
    const bool was_found = gap_.has_value();
    if (was_found) last_ = std::exchange(gap_, std::nullopt);
    if (evaluation && graph_ != evaluation->original) last_.reset();
    if (was_found || was_coming != coming_) emit changed();
    if (!known) return task_.cancel();
    graph_ = evaluation->original;
    if (!bounds_ || !bounds_->areOf(evaluation->original, evaluation->time_source))
        bounds_ = GraphBounds::of(evaluation->original, evaluation->time_source);
    task_.start([this, evaluation, bounds = bounds_](const std::stop_token&) -> LatestTask::Delivery {
        const Gap gap = bounds->gapOf(evaluation);
        return [this, gap] {
            if (!document_) return;  // who shows the gap would ask it for the rest
            gap_ = gap;
            coming_ = false;
            emit changed();
        };
    });
}

}  // namespace overlap::ui
