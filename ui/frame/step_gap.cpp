#include "ui/frame/step_gap.h"

#include <mutex>

#include "core/cost/shared_links.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/search/lower_bound.h"
#include "ui/document/document.h"

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

StepGap::StepGap(Document& document, QObject* parent) : QObject(parent), document_(&document) {
    connect(&document, &Document::evaluationChanged, this, &StepGap::find);
    find();
}

void StepGap::find() {
    const std::shared_ptr<const Evaluation> evaluation = document_->evaluation();
    const bool known = evaluation && !evaluation->refused && evaluation->times_known &&
                       !(evaluation->time_source && evaluation->time_source->measured());
    if (gap_) {
        gap_.reset();
        emit changed();
    }
    if (!known) return task_.cancel();
    if (!bounds_ || bounds_->graph != evaluation->original || bounds_->source != evaluation->time_source) {
        bounds_ = std::make_shared<Bounds>();
        bounds_->graph = evaluation->original;
        bounds_->source = evaluation->time_source;
    }
    task_.start([this, evaluation, bounds = bounds_](const std::stop_token&) -> LatestTask::Delivery {
        bounds->findOnce();
        if (!bounds->work->obstacle.empty()) return {};
        const KeptWork kept = kept_work(*bounds->work, *evaluation);
        Gap gap;
        if (kept.all) {
            gap.any_order = !kept.order;
            gap.bound_ms = kept.order ? bounds->bound.step_ms : bounds->bound.order_free_ms;
            if (gap.bound_ms <= 0) return {};
            const double step_ms = step_with_links_shared(*evaluation);
            gap.share = step_ms / gap.bound_ms - 1;
            gap.reason = QString::fromStdString(bound_reason(bounds->bound.chain, step_ms));
        } else {
            gap.missing = QString::fromStdString(kept.missing);
        }
        return [this, gap] {
            if (!document_) return;  // who shows the gap would ask it for the rest
            gap_ = gap;
            emit changed();
        };
    });
}

}  // namespace overlap::ui
