#include "ui/advice/advice_search.h"

#include <algorithm>

#include "ui/document/links_shared_step.h"

namespace overlap::ui {
namespace {

constexpr std::size_t most_gone_on = 3;

/// Each plan once: what helps one collective often helps its neighbour.
std::vector<Advice> changesFor(const std::shared_ptr<const Evaluation>& evaluation,
                               const std::vector<std::size_t>& collectives, bool with_problems,
                               const std::stop_token& stop) {
    // Exposed as the views of single collectives have it.
    const auto shown = withLinksShared(evaluation);
    std::vector<Advice> changes;
    const auto append = [&](std::vector<Advice> more) {
        for (Advice& advice : more)
            if (std::ranges::find(changes, advice.plan, &Advice::plan) == changes.end())
                changes.push_back(std::move(advice));
    };
    if (with_problems) append(advice_for_problems(*evaluation));
    for (const std::size_t collective : collectives) {
        if (stop.stop_requested()) break;
        append(advice_for(shown, collective));
    }
    return changes;
}

}  // namespace

AdviceSearch::AdviceSearch(QObject* parent) : QObject(parent) {
    // A task that fails delivers nothing. Later: a delivery may start the next one, and begins when it is not busy.
    connect(&task_, &LatestTask::busyChanged, this, &AdviceSearch::progressed, Qt::QueuedConnection);
}

void AdviceSearch::start(std::shared_ptr<const Evaluation> evaluation, std::vector<std::size_t> collectives,
                         bool with_problems) {
    evaluation_ = std::move(evaluation);
    changes_.reset();
    tried_ = gone_on_ = 0;
    finished_ = false;
    best_.clear();
    pairs_.clear();
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
    tried_ = gone_on_ = 0;
    finished_ = false;
    best_.clear();
    pairs_.clear();
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
                takeUp(row);
                emit rowFound(row);
                tryNext();
            };
        });
    else
        goOn();
    emit progressed();
}

void AdviceSearch::takeUp(const AdviceRow& row) {
    if (!row.worthwhile) return;
    const auto gain = [](const AdviceRow& of) { return job_step_ms(of.effect); };
    best_.insert(std::ranges::upper_bound(best_, gain(row), {}, gain), row);
    if (best_.size() > most_gone_on) best_.pop_back();
}

/// The change that gains most may be one after which nothing helps.
void AdviceSearch::goOn() {
    finished_ = gone_on_ >= best_.size();
    if (finished_) return;
    // A change with one after it is that one with this after it.
    task_.start([this, evaluation = evaluation_, first = best_[gone_on_],
                 known = pairs_](std::stop_token stop) -> LatestTask::Delivery {
        const auto pair = best_pair(evaluation, first.advice, first.effect, stop, known);
        if (stop.stop_requested()) return {};
        return [this, evaluation, pair] {
            ++gone_on_;
            if (pair) pairs_.push_back(pair->both.plan);
            if (pair) emit rowFound({pair->both, pair->effect, is_worthwhile(pair->effect, *evaluation)});
            goOn();
            emit progressed();
        };
    });
}

}  // namespace overlap::ui
