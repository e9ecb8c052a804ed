#include "ui/advice/advice_search.h"

#include <algorithm>

namespace overlap::ui {
namespace {

/// Each plan once: what helps one collective often helps its neighbour.
std::vector<Advice> changesFor(const std::shared_ptr<const Evaluation>& evaluation,
                               const std::vector<std::size_t>& collectives, bool with_problems,
                               const std::stop_token& stop) {
    std::vector<Advice> changes;
    const auto append = [&](std::vector<Advice> more) {
        for (Advice& advice : more)
            if (std::ranges::find(changes, advice.plan, &Advice::plan) == changes.end())
                changes.push_back(std::move(advice));
    };
    if (with_problems) append(advice_for_problems(*evaluation));
    for (const std::size_t collective : collectives) {
        if (stop.stop_requested()) break;
        append(advice_for(evaluation, collective));
    }
    return changes;
}

}  // namespace

void AdviceSearch::start(std::shared_ptr<const Evaluation> evaluation, std::vector<std::size_t> collectives,
                         bool with_problems) {
    evaluation_ = std::move(evaluation);
    changes_.reset();
    tried_ = 0;
    task_.start([this, evaluation = evaluation_, collectives = std::move(collectives),
                 with_problems](std::stop_token stop) -> LatestTask::Delivery {
        auto changes =
            std::make_shared<const std::vector<Advice>>(changesFor(evaluation, collectives, with_problems, stop));
        return [this, changes] {
            changes_ = changes;
            tryNext();
        };
    });
    emit progressed();
}

void AdviceSearch::cancel() {
    task_.cancel();
    evaluation_.reset();
    changes_.reset();
    tried_ = 0;
    emit progressed();
}

void AdviceSearch::tryNext() {
    if (tried_ < changes_->size())
        task_.start([this, evaluation = evaluation_, changes = changes_,
                     place = tried_](std::stop_token stop) -> LatestTask::Delivery {
            const Advice& advice = (*changes)[place];
            const auto effect = effect_of(*evaluation, advice, stop);
            if (!effect) return {};
            return [this, row = AdviceRow{advice, *effect, is_worthwhile(*effect, *evaluation)}] {
                ++tried_;
                emit rowFound(row);
                tryNext();
            };
        });
    emit progressed();
}

}  // namespace overlap::ui
