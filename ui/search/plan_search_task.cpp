#include "ui/search/plan_search_task.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/cost/shared_links.h"
#include "core/pipeline/evaluation.h"
#include "core/pipeline/pass_result_cache.h"

namespace overlap::ui {
namespace {

/// Fills in what the window shows where it differs from the search. @returns false when stopped.
/// @param finish when requested, what is filled in so far is enough.
bool fillInShown(FoundPlans& plans, const std::shared_ptr<const TimeSource>& source, const std::stop_token& stop,
                 const std::stop_token& finish) {
    // Plans of a front have their first steps in common.
    const auto cache = std::make_shared<PassResultCache>();
    const auto shown = [&](const Plan& plan, double& ms) {
        const auto evaluation = evaluate(plans.graph, plan, stop, source, cache);
        if (evaluation) ms = evaluation->simulation.step_ms;
        return evaluation != nullptr;
    };
    if (finish.stop_requested()) return true;
    if (!shown(plans.result.best.plan, plans.shown_ms.emplace())) return false;
    for (const FrontPoint& point : plans.result.front) {
        if (finish.stop_requested()) return true;
        if (!shown(point.plan, plans.front_shown_ms.emplace_back())) return false;
    }
    for (const Candidate& baseline : plans.result.baselines) {
        if (finish.stop_requested()) return true;
        if (!shown(baseline.plan, plans.baselines_shown_ms.emplace_back())) return false;
    }
    return true;
}

}  // namespace

void PlanSearchTask::start(std::shared_ptr<const Graph> graph, SearchOptions options, std::optional<Plan> shown) {
    stop_.request_stop();
    stop_ = std::stop_source();
    const quint64 serial = ++serial_;
    options.stop = stop_.get_token();
    // One processor is left to the window; the result is the same.
    options.threads = std::max(2u, std::thread::hardware_concurrency()) - 1;
    options.progress = [this, serial](const SearchProgress& progress) {
        calls_.put([this, serial, progress] {
            if (serial == serial_ && busy()) emit progressed(progress);
        });
    };
    task_.start([this, graph = std::move(graph), options = std::move(options), start = std::move(shown),
                 stop = stop_](const std::stop_token& dropped) mutable -> LatestTask::Delivery {
        const std::stop_callback forward(dropped, [&stop] { stop.request_stop(); });
        try {
            auto plans = std::make_shared<FoundPlans>();
            plans->graph = graph;
            plans->limit = options.memory_limit;
            const std::shared_ptr<const Graph> shared = with_shared_links(graph, LinkSharing::by_host);
            plans->links_differ = shared != graph;
            const auto before = start ? evaluate(shared, *start, dropped, options.time_source)
                                      : evaluate_baseline(shared, dropped, options.time_source);
            if (!before) return {};
            if (!before->refused) plans->start_ms = before->simulation.step_ms;
            plans->result = search_plans(shared, options);
            if (!fillInShown(*plans, options.time_source, dropped, stop.get_token())) return {};
            return [this, plans] { emit found(plans); };
        } catch (const InputError& error) {
            return [this, reason = QString::fromStdString(error.problem())] { emit failed(reason); };
        } catch (const std::exception& error) {  // such as one for lack of memory
            return [this, reason = QString::fromUtf8(error.what())] { emit failed(reason); };
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
