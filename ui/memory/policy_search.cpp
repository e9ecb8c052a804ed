#include "ui/memory/policy_search.h"

#include <utility>

#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/memory_edits.h"

namespace overlap::ui {
namespace {

PolicyPoint pointOf(const MemoryChoice& choice, const Evaluation& evaluation) {
    PolicyPoint point;
    point.choice = choice;
    point.step_ms = step_with_links_shared(evaluation);
    point.shared = evaluation.on_shared_links.has_value();
    point.peak_bytes = evaluation.corrected_memory.peak_bytes;
    point.refused = evaluation.refused;
    if (evaluation.refusal) point.refusal = evaluation.refusal->what();
    return point;
}

}  // namespace

void PolicySearch::start(std::shared_ptr<const Graph> graph, Plan plan, std::vector<MemoryChoice> choices,
                         std::shared_ptr<const TimeSource> time_source, std::shared_ptr<PassResultCache> cache) {
    graph_ = std::move(graph);
    plan_ = std::move(plan);
    choices_ = std::move(choices);
    time_source_ = std::move(time_source);
    cache_ = std::move(cache);
    next_ = 0;
    tryNext();
}

void PolicySearch::cancel() {
    task_.cancel();
    choices_.clear();
    letGo();
    emit busyChanged();
}

/// The graph may be closed before the next search.
void PolicySearch::letGo() {
    graph_ = nullptr;
    time_source_ = nullptr;
    cache_ = nullptr;
}

void PolicySearch::tryNext() {
    if (next_ < choices_.size()) {
        MemorySection section = choices_[next_].section;
        if (plan_.memory) {
            section.cpu_offload_budget_gb = plan_.memory->cpu_offload_budget_gb;
            section.prefetch_lookahead = plan_.memory->prefetch_lookahead;
            section.defer_n_layers = plan_.memory->defer_n_layers;
        }
        task_.start([this, graph = graph_, plan = edits::with_memory(plan_, std::move(section)),
                     choice = choices_[next_], source = time_source_,
                     cache = cache_](std::stop_token stop) -> LatestTask::Delivery {
            const auto evaluation = evaluate(graph, plan, stop, source, cache);
            if (!evaluation) return {};
            return [this, point = pointOf(choice, *evaluation)] {
                ++next_;
                emit pointFound(point);
                tryNext();
            };
        });
    } else {
        letGo();
    }
    emit busyChanged();
}

}  // namespace overlap::ui
