#include "ui/search/least_peak.h"

#include <utility>

#include "core/bound/lower_bound.h"
#include "core/cost/shared_links.h"

namespace overlap::ui {

std::optional<LeastPeak> LeastPeakFinder::of(const std::shared_ptr<const Graph>& graph,
                                             const std::shared_ptr<const TimeSource>& source, bool any_order) {
    Question question{graph, source, any_order};
    // One that failed is asked again.
    if (asked_ == question && (answer_ || task_.busy())) return answer_;
    asked_ = question;
    answer_.reset();
    task_.start([this, question = std::move(question)](const std::stop_token& stop) -> LatestTask::Delivery {
        LeastPeak least;
        // Over which links groups go says nothing of memory; as the search has them, a bound is known.
        const auto work = step_work(with_shared_links(question.graph, LinkSharing::by_host), question.source, stop);
        if (work->obstacle.empty()) {
            const BoundUnderLimits bounds(work, question.any_order, stop);
            least = {bounds.least_peak_bytes(), QString::fromStdString(bounds.least_peak_node())};
        }
        if (stop.stop_requested()) return {};
        return [this, least] {
            answer_ = least;
            emit found();
        };
    });
    return answer_;
}

void LeastPeakFinder::forget() {
    task_.cancel();
    asked_.reset();
    answer_.reset();
}

}  // namespace overlap::ui
