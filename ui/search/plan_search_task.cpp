#include "ui/search/plan_search_task.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/bound/step_work.h"
#include "core/pipeline/evaluation.h"
#include "core/pipeline/pass_result_cache.h"
#include "ui/search/start_check.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {
namespace {

/// The steps that the window shows of what was found. @returns false when stopped.
/// @param finish when requested, what is known so far is enough.
bool findShown(const std::shared_ptr<const Graph>& graph, const SearchResult& result,
               const std::shared_ptr<const TimeSource>& source, const std::stop_token& stop,
               const std::stop_token& finish, ShownSteps& steps) {
    // Plans of a front have their first steps in common.
    const auto cache = std::make_shared<PassResultCache>();
    const auto shown = [&](const Plan& plan, double& ms) {
        const auto evaluation = evaluate(graph, plan, stop, source, cache);
        if (evaluation) ms = evaluation->simulation.step_ms;
        return evaluation != nullptr;
    };
    if (finish.stop_requested()) return true;
    if (!shown(result.best.plan, steps.best_ms.emplace())) return false;
    for (const FrontPoint& point : result.front) {
        if (finish.stop_requested()) return true;
        if (!shown(point.plan, steps.front_ms.emplace_back())) return false;
    }
    for (const Candidate& baseline : result.baselines) {
        if (finish.stop_requested()) return true;
        if (!shown(baseline.plan, steps.baselines_ms.emplace_back())) return false;
    }
    return true;
}

/// Which work that the bound counts on a plan leaves out; empty where it does all, or no bound is known.
QString workLeftOut(const Evaluation& evaluation, const std::shared_ptr<const TimeSource>& source,
                    const std::stop_token& stop) {
    const std::shared_ptr<const StepWork> work = step_work(evaluation.original, source, stop);
    if (!work->obstacle.empty()) return {};
    const KeptWork kept = kept_work(*work, evaluation);
    return kept.all ? QString() : QString::fromStdString(kept.missing);
}

}  // namespace

void PlanSearchTask::start(std::shared_ptr<const Graph> graph, SearchRequest request) {
    stop_.request_stop();
    stop_ = std::stop_source();
    const quint64 serial = ++serial_;
    request.options.stop = stop_.get_token();
    // One processor is left to the window; the result is the same.
    request.options.threads = std::max(2u, std::thread::hardware_concurrency()) - 1;
    request.options.progress = [this, serial](const SearchProgress& progress) {
        calls_.put([this, serial, progress] {
            if (serial == serial_ && busy()) emit progressed(progress);
        });
    };
    task_.start([this, graph = std::move(graph), request = std::move(request),
                 stop = stop_](const std::stop_token& dropped) mutable -> LatestTask::Delivery {
        const std::stop_callback forward(dropped, [&stop] { stop.request_stop(); });
        try {
            const SearchOptions& options = request.options;
            const std::shared_ptr<const Graph> linked = with_shared_links(graph, request.links);
            SearchStart& start = request.start;
            const auto before = start.plan ? evaluate(linked, *start.plan, dropped, options.time_source)
                                           : evaluate_baseline(linked, dropped, options.time_source);
            if (!before) return {};
            start.refused = before->refused;
            if (!before->refused) start.step_ms = before->simulation.step_ms;
            start.counts = !start.refused && (!start.plan || searchCouldTake(linked, *start.plan, options.time_source));
            if (!start.counts && !start.refused) start.left_out = workLeftOut(*before, options.time_source, dropped);
            const SearchResult result = search_plans(linked, options);
            ShownSteps shown;
            if (!findShown(graph, result, options.time_source, dropped, stop.get_token(), shown)) return {};
            auto plans = std::make_shared<FoundPlans>(foundPlansOf(result, request, shown));
            plans->links_differ = linked != graph;
            return [this, plans] { emit found(plans); };
        } catch (const InputError& error) {
            return [this, reason = QString::fromStdString(error.problem())] { emit failed(reason); };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] { emit failed(reason); };
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
