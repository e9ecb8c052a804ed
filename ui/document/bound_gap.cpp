#include "ui/document/bound_gap.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/bound/lower_bound.h"
#include "core/cost/shared_links.h"
#include "ui/document/document.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

constexpr double smallest_told_share = 0.0005;  ///< of a bound: what is not 0.0 % after rounding

}  // namespace

struct GraphBounds::Found {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const TimeSource> source;
    std::once_flag once{};
    std::shared_ptr<const StepWork> work{};
    LowerBound bound{};

    void findOnce() {
        std::call_once(once, [this] {
            work = step_work(with_shared_links(graph, LinkSharing::by_host), source);
            if (work->obstacle.empty()) bound = lower_bound(*work);
        });
    }
};

GraphBounds::GraphBounds(std::shared_ptr<const Graph> graph, std::shared_ptr<const TimeSource> source)
    : found_(new Found{std::move(graph), std::move(source)}) {}

GraphBounds::~GraphBounds() = default;

bool GraphBounds::areOf(const std::shared_ptr<const Graph>& graph,
                        const std::shared_ptr<const TimeSource>& source) const {
    return found_->graph == graph && found_->source == source;
}

std::shared_ptr<GraphBounds> GraphBounds::of(const std::shared_ptr<const Graph>& graph,
                                             const std::shared_ptr<const TimeSource>& source) {
    // Toolbar and tables ask for the same one at the same time. It is gone when nobody keeps it.
    static std::mutex mutex;
    static std::weak_ptr<GraphBounds> newest;
    const std::lock_guard lock(mutex);
    std::shared_ptr<GraphBounds> bounds = newest.lock();
    if (bounds && bounds->areOf(graph, source)) return bounds;
    bounds.reset(new GraphBounds(graph, source));
    newest = bounds;
    return bounds;
}

BoundGap GraphBounds::gapOf(const std::shared_ptr<const Evaluation>& evaluated) {
    found_->findOnce();
    const StepWork& work = *found_->work;
    const LowerBound& bound = found_->bound;
    const Evaluation& evaluation = *evaluated;
    BoundGap gap;
    if (!work.obstacle.empty()) {
        gap.none = Document::tr("No bound is known: %1").arg(shownName(QString::fromStdString(work.obstacle)));
        gap.none_briefly = Document::tr("not known");
        return gap;
    }
    const KeptWork kept = kept_work(work, evaluation);
    if (!kept.all) {
        gap.none = Document::tr("No bound holds for this plan, since it leaves out work that the bound counts on: %1")
                       .arg(shownName(QString::fromStdString(kept.missing)));
        gap.none_briefly = Document::tr("work left out");
        return gap;
    }
    gap.any_order = !kept.order;
    gap.bound_ms = kept.order ? bound.step_ms : bound.order_free_ms;
    gap.moved = QString::fromStdString(kept.moved);
    if (gap.bound_ms <= 0) {
        gap.none = gap.any_order
                       ? Document::tr(
                             "No bound holds for this plan, which moves heavy compute: %1. Whatever the order "
                             "of compute, nothing is known to take time in every plan")
                             .arg(shownName(gap.moved))
                       : Document::tr("No bound is known: nothing takes time in every plan");
        gap.none_briefly = gap.any_order ? Document::tr("compute moved") : Document::tr("not known");
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

bool BoundGap::isBelow() const {
    return share < -smallest_told_share;
}

bool hasBound(const Evaluation& evaluation) {
    return !evaluation.refused && evaluation.times_known &&
           !(evaluation.time_source && evaluation.time_source->measured());
}

QString boundKind(const BoundGap& gap) {
    if (gap.any_order) return Document::tr("any order");
    return gap.every_order ? QString() : Document::tr("order kept");
}

QString boundLabel(const BoundGap& gap) {
    const QString kind = boundKind(gap);
    return kind.isEmpty() ? Document::tr("above bound") : Document::tr("above bound · %1").arg(kind);
}

QString shareAbove(double share) {
    return formatPercent(std::max(0.0, share));
}

QString boundValue(const BoundGap& gap) {
    if (!gap.none.isEmpty()) return Document::tr("no bound");
    return gap.isBelow() ? Document::tr("below") : shareAbove(gap.share);
}

QString boundHelp(const BoundGap& gap) {
    if (!gap.none.isEmpty()) return gap.none;
    const QString bound = formatTime(gap.bound_ms);
    if (gap.isBelow())
        return Document::tr(
                   "Faster than a plan with its order of compute can be, %1: what runs before its inputs are there "
                   "hides what it should "
                   "wait for. See Problems")
            .arg(bound);
    if (gap.any_order)
        return Document::tr(
                   "No plan has a step below %1, whatever the order of heavy compute: %2. Plans that keep the order "
                   "have another bound, which does not hold for this one: %3")
            .arg(bound, gap.reason, shownName(gap.moved));
    if (gap.every_order) return Document::tr("No plan has a step below %1: %2").arg(bound, gap.reason);
    QString text =
        Document::tr("No plan that keeps the order of heavy compute has a step below %1: %2").arg(bound, gap.reason);
    // A plan that moves compute is compared with this one.
    if (gap.any_order_ms > 0)
        text += Document::tr("\nWhatever the order, no plan has a step below %1: this one is %2 above that")
                    .arg(formatTime(gap.any_order_ms), shareAbove(gap.parts.step_ms / gap.any_order_ms - 1));
    return text;
}

}  // namespace overlap::ui
