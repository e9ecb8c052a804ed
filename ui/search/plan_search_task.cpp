#include "ui/search/plan_search_task.h"

#include <utility>

#include "core/base/error.h"
#include "core/pipeline/evaluation.h"
#include "core/search/shared_links.h"

namespace overlap::ui {

void PlanSearchTask::start(std::shared_ptr<const Graph> graph, SearchOptions options) {
    stop_.request_stop();
    stop_ = std::stop_source();
    const quint64 serial = ++serial_;
    options.stop = stop_.get_token();
    options.progress = [this, serial](const SearchProgress& progress) {
        calls_.put([this, serial, progress] {
            if (serial == serial_ && busy()) emit progressed(progress);
        });
    };
    task_.start([this, graph = std::move(graph), options = std::move(options),
                 stop = stop_](const std::stop_token& dropped) mutable -> LatestTask::Delivery {
        const std::stop_callback forward(dropped, [&stop] { stop.request_stop(); });
        try {
            auto plans = std::make_shared<FoundPlans>();
            plans->graph = graph;
            plans->result = search_plans(with_shared_links(graph, LinkSharing::by_host), options);
            if (dropped.stop_requested()) return {};
            const auto shown = evaluate(graph, plans->result.best.plan, dropped, options.time_source);
            if (!shown) return {};
            plans->shown_ms = shown->simulation.step_ms;
            return [this, plans] { emit found(plans); };
        } catch (const InputError& error) {
            return [this, reason = QString::fromStdString(error.problem())] { emit failed(reason); };
        }
    });
}

void PlanSearchTask::finishNow() {
    stop_.request_stop();
}

void PlanSearchTask::cancel() {
    ++serial_;
    stop_.request_stop();
    task_.cancel();
}

}  // namespace overlap::ui
