#include "ui/measure/simulated_plans.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/views/timeline_of.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/tasks/task_failure.h"
#include "ui/theme/links_shared.h"

namespace overlap::ui {

SimulatedPlans::SimulatedPlans(Document& document, QObject* parent, BackgroundEvaluator::Function evaluate)
    : QObject(parent),
      document_(document),
      evaluate_(evaluate ? std::move(evaluate) : BackgroundEvaluator::Function(overlap::evaluate)) {
    connect(&document, &Document::graphAboutToChange, this, [this] {
        task_.cancel();
        ground_ = {};  // it keeps what it refers to
        entries_.clear();
        asked_.reset();
    });
}

SimulatedPlans::Ground SimulatedPlans::ground() const {
    if (!document_.isOpen()) return {};
    return {document_.graph(), document_.times() ? document_.times()->source : nullptr};
}

std::optional<SimulatedPlans::Simulated> SimulatedPlans::simulated(
    const std::shared_ptr<const Evaluation>& evaluation) {
    if (evaluation->refused || !evaluation->times_known) return std::nullopt;
    const auto shown = withLinksShared(evaluation);
    Simulated result{sharesLinks(*shown), simulated_times(*shown), {}};
    for (std::size_t group = 0; group < shown->simulation.groups.size(); ++group)
        result.groups.push_back(group_title_and_name(*shown, group));
    return result;
}

const SimulatedPlans::Entry* SimulatedPlans::known(const Variant& variant) const {
    const auto entry = std::ranges::find(entries_, variant.key(), &Entry::key);
    return entry != entries_.end() && does_the_same(entry->plan, variant.plan()) ? &*entry : nullptr;
}

std::vector<StatisticsModel::SimulatedPlan> SimulatedPlans::plans() {
    if (const Ground now = ground(); now != ground_) {
        task_.cancel();
        ground_ = now;
        entries_.clear();
        asked_.reset();
    }
    std::erase_if(entries_, [this](const Entry& entry) { return document_.indexOf(entry.key) < 0; });
    std::vector<StatisticsModel::SimulatedPlan> plans;
    const Variant* next = nullptr;
    missing_ = 0;
    failures_.clear();
    for (int index = 0; index < document_.variantCount(); ++index) {
        const Variant& variant = document_.variant(index);
        std::optional<Simulated> figures;
        if (variant.evaluation() && !variant.stale()) {
            figures = simulated(variant.evaluation());
        } else if (const Entry* entry = known(variant)) {
            figures = entry->simulated;
            if (!entry->failure.isEmpty()) failures_.append(tr("%1: %2").arg(variant.title(), entry->failure));
        } else {
            ++missing_;
            // The document evaluates the one in front.
            if (!next && index != document_.currentIndex()) next = &variant;
        }
        if (!figures) continue;
        plans.push_back({variant.key(),
                         figures->shares_links ? tr("%1, simulated %2").arg(variant.title(), linksSharedLabel())
                                               : tr("%1, simulated").arg(variant.title()),
                         std::move(figures->times), std::move(figures->groups)});
    }
    if (next) evaluate(*next);
    return plans;
}

void SimulatedPlans::evaluate(const Variant& variant) {
    const bool runs =
        task_.busy() && asked_ && asked_->key == variant.key() && does_the_same(asked_->plan, variant.plan());
    if (runs) return;
    asked_ = Entry{variant.key(), variant.plan(), {}, {}};
    task_.start([this, run = evaluate_, entry = *asked_, ground = ground_,
                 cache = document_.passResults()](std::stop_token stop) mutable -> LatestTask::Delivery {
        try {
            const auto evaluation = run(ground.graph, entry.plan, stop, ground.times, cache);
            if (!evaluation || !withLinksShared(evaluation, stop)) return {};
            entry.simulated = simulated(evaluation);
        } catch (const std::exception& error) {
            entry.failure = reasonOf(error);  // the plans after it have their turn
        }
        return [this, entry = std::move(entry)]() mutable {
            std::erase_if(entries_, [&](const Entry& other) { return other.key == entry.key; });
            entries_.push_back(std::move(entry));
            emit changed();
        };
    });
}

}  // namespace overlap::ui
