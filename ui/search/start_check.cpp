#include "ui/search/start_check.h"

#include "core/search/candidate.h"

namespace overlap::ui {

bool searchCouldTake(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                     const std::shared_ptr<const TimeSource>& source) {
    const std::shared_ptr<const StepWork> work = step_work(graph, source);
    return !work->obstacle.empty() || CandidateEvaluator(graph, work, source, true).evaluate(plan, {}).usable();
}

std::optional<bool> StartCheck::couldTake(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                          const std::shared_ptr<const TimeSource>& source, LinkSharing links) {
    if (plan_ == plan) return answer_;
    plan_ = plan;
    answer_.reset();
    task_.start([this, graph, plan, source, links](const std::stop_token&) -> LatestTask::Delivery {
        const bool answer = searchCouldTake(with_shared_links(graph, links), plan, source);
        return [this, answer] {
            answer_ = answer;
            emit checked();
        };
    });
    return answer_;
}

void StartCheck::forget() {
    task_.cancel();
    plan_.reset();
    answer_.reset();
}

}  // namespace overlap::ui
