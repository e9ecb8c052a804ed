#include "ui/search/start_check.h"

#include <utility>

#include "core/search/candidate.h"

namespace overlap::ui {

bool searchCouldTake(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                     const std::shared_ptr<const TimeSource>& source, const std::stop_token& stop) {
    const std::shared_ptr<const StepWork> work = step_work(graph, source, stop);
    return !work->obstacle.empty() || CandidateEvaluator(graph, work, source, true).evaluate(plan, {}, stop).usable();
}

std::optional<bool> StartCheck::couldTake(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                          const std::shared_ptr<const TimeSource>& source, LinkSharing links) {
    Question question{graph, plan, source, links};
    if (asked_ == question && (answer_ || task_.busy())) return answer_;
    asked_ = question;
    answer_.reset();
    task_.start([this, question = std::move(question)](const std::stop_token& stop) -> LatestTask::Delivery {
        const bool answer =
            could_take_(with_shared_links(question.graph, question.links), question.plan, question.source, stop);
        if (stop.stop_requested()) return {};
        return [this, answer] {
            answer_ = answer;
            emit checked();
        };
    });
    return answer_;
}

void StartCheck::forget() {
    task_.cancel();
    asked_.reset();
    answer_.reset();
}

}  // namespace overlap::ui
