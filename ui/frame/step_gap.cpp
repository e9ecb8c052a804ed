#include "ui/frame/step_gap.h"

#include <mutex>
#include <utility>

#include "core/bound/lower_bound.h"
#include "core/cost/shared_links.h"
#include "ui/document/document.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {

/// What is found once for a graph and its times, by whichever task comes first.
struct StepGap::Bounds {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const TimeSource> source;
    std::once_flag once;
    std::shared_ptr<const StepWork> work;
    LowerBound bound;

    void findOnce() {
        std::call_once(once, [this] {
            work = step_work(with_shared_links(graph, LinkSharing::by_host), source);
            if (work->obstacle.empty()) bound = lower_bound(*work);
        });
    }
};

namespace {

StepGap::Gap gapOf(const std::shared_ptr<const Evaluation>& evaluated, const StepWork& work, const LowerBound& bound) {
    const Evaluation& evaluation = *evaluated;
    StepGap::Gap gap;
    if (!work.obstacle.empty()) {
        gap.none = StepGap::tr("No bound is known: %1").arg(shownName(QString::fromStdString(work.obstacle)));
        gap.none_briefly = StepGap::tr("not known");
        return gap;
    }
    const KeptWork kept = kept_work(work, evaluation);
    if (!kept.all) {
        gap.none = StepGap::tr("No bound holds for this plan, since it leaves out work that the bound counts on: %1")
                       .arg(shownName(QString::fromStdString(kept.missing)));
        gap.none_briefly = StepGap::tr("work left out");
        return gap;
    }
    gap.any_order = !kept.order;
    gap.bound_ms = kept.order ? bound.step_ms : bound.order_free_ms;
    gap.moved = QString::fromStdString(kept.moved);
    if (gap.bound_ms <= 0) {
        gap.none = gap.any_order
                       ? StepGap::tr(
                             "No bound holds for this plan, which moves heavy compute: %1. Whatever the order "
                             "of compute, nothing is known to take time in every plan")
                             .arg(shownName(gap.moved))
                       : StepGap::tr("No bound is known: nothing takes time in every plan");
        gap.none_briefly = gap.any_order ? StepGap::tr("compute moved") : StepGap::tr("not known");
        return gap;
    }
    gap.any_order_ms = bound.order_free_ms;
    gap.of = evaluated;
    gap.parts = step_parts(work, evaluation);
    gap.share = gap.parts.step_ms / gap.bound_ms - 1;
    // What follows what in the other bound's chain is not so in this plan.
    const ComparedStep compared{gap.parts.step_ms, bound.compute_ms, evaluation.simulation.compute_ms};
    gap.reason =
        QString::fromStdString(bound_reason(kept.order ? bound.chain : bound.order_free_chain, compared, !kept.order));
    gap.every_order = bound.order_free_ms >= bound.step_ms;
    return gap;
}

}  // namespace

StepGap::StepGap(Document& document, QObject* parent) : QObject(parent), document_(&document) {
    connect(&document, &Document::evaluationChanged, this, &StepGap::find);
    find();
}

void StepGap::find() {
    const std::shared_ptr<const Evaluation> evaluation = document_->evaluation();
    const bool known = evaluation && !evaluation->refused && evaluation->times_known &&
                       !(evaluation->time_source && evaluation->time_source->measured());
    const bool was_coming = std::exchange(coming_, known);
    const bool was_found = gap_.has_value();
    if (was_found) last_ = std::exchange(gap_, std::nullopt);
    if (bounds_ && evaluation && bounds_->graph != evaluation->original) last_.reset();
    if (was_found || was_coming != coming_) emit changed();
    if (!known) return task_.cancel();
    if (!bounds_ || bounds_->graph != evaluation->original || bounds_->source != evaluation->time_source) {
        bounds_ = std::make_shared<Bounds>();
        bounds_->graph = evaluation->original;
        bounds_->source = evaluation->time_source;
    }
    task_.start([this, evaluation, bounds = bounds_](const std::stop_token&) -> LatestTask::Delivery {
        bounds->findOnce();
        const Gap gap = gapOf(evaluation, *bounds->work, bounds->bound);
        return [this, gap] {
            if (!document_) return;  // who shows the gap would ask it for the rest
            gap_ = gap;
            coming_ = false;
            emit changed();
        };
    });
}

}  // namespace overlap::ui
