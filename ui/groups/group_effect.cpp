#include "ui/groups/group_effect.h"

#include <algorithm>
#include <cmath>

#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/group_passes.h"
#include "core/views/process_groups.h"
#include "ui/document/document.h"
#include "ui/theme/links_shared.h"

namespace overlap::ui {
namespace {

constexpr int delay_ms = 300;
constexpr double shortest_ms = 1e-3;  ///< less is no difference that a figure shows

bool movesGroups(const PassStep& step) {
    return step.enabled &&
           (is_group_pass(step.pass, isolate_expert_group_pass) || is_group_pass(step.pass, reassign_groups_pass));
}

double queued(const Evaluation& evaluation) {
    double queued_ms = 0;
    for (const ProcessGroupFigures& group : process_group_figures(evaluation)) queued_ms += group.queued_ms;
    return queued_ms;
}

/// What a job gains, whose groups share the links they go over; empty where the figures share them.
QString sharedText(const Evaluation& with, const Evaluation& without) {
    if (!with.on_shared_links && !without.on_shared_links) return {};
    return GroupEffect::tr("; %1 it takes %2, without these groups %3")
        .arg(linksSharedLabel(), formatTime(step_with_links_shared(with)), formatTime(step_with_links_shared(without)));
}

QString effectText(const Evaluation& with, const Evaluation& without) {
    const double before_queued_ms = queued(without);
    const double gone_ms = before_queued_ms - queued(with);
    const QString waiting =
        gone_ms > shortest_ms    ? GroupEffect::tr("%1 of waiting in queues gone").arg(formatTime(gone_ms))
        : gone_ms < -shortest_ms ? GroupEffect::tr("%1 more waiting in queues").arg(formatTime(-gone_ms))
        : before_queued_ms > shortest_ms
            ? GroupEffect::tr("%1 of waiting in queues, as before, so nothing is gained there")
                  .arg(formatTime(before_queued_ms))
            : GroupEffect::tr("without them nothing waits in a queue either, so nothing is gained");
    const double before_ms = without.simulation.step_ms;
    const double after_ms = with.simulation.step_ms;
    const QString step =
        std::abs(before_ms - after_ms) <= shortest_ms
            ? GroupEffect::tr("The step takes %1 with and without these groups").arg(formatTime(after_ms))
            : GroupEffect::tr("The step takes %1, without these groups %2")
                  .arg(formatTime(after_ms), formatTime(before_ms));
    return step + sharedText(with, without) + QStringLiteral(" · ") + waiting;
}

}  // namespace

GroupEffect::GroupEffect(Document& document, QObject* parent) : QObject(parent), document_(document) {
    delay_.setSingleShot(true);
    delay_.setInterval(delay_ms);
    connect(&delay_, &QTimer::timeout, this, &GroupEffect::evaluateWithout);
    connect(&document, &Document::planChanged, this, &GroupEffect::update);
    connect(&document, &Document::evaluationChanged, this, &GroupEffect::update);
}

void GroupEffect::update() {
    const Variant* current = document_.current();
    const auto evaluation = document_.evaluation();
    const bool wanted = document_.editable() && evaluation && !current->stale() && !evaluation->refused &&
                        std::ranges::any_of(current->plan().pipeline, movesGroups);
    if (wanted && evaluation == with_) return;
    delay_.stop();
    task_.cancel();
    with_ = wanted ? evaluation : nullptr;
    show({});
    if (wanted) delay_.start();
}

void GroupEffect::evaluateWithout() {
    Plan plan = document_.current()->plan();
    std::erase_if(plan.pipeline, movesGroups);
    task_.start([this, with = with_, plan = std::move(plan)](std::stop_token stop) -> LatestTask::Delivery {
        const auto without = evaluate_like(*with, plan, stop);
        if (!without || without->refused) return {};
        return [this, text = effectText(*with, *without)] { show(text); };
    });
}

void GroupEffect::show(const QString& text) {
    if (text_ == text) return;
    text_ = text;
    emit changed();
}

}  // namespace overlap::ui
