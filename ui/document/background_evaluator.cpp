#include "ui/document/background_evaluator.h"

#include <algorithm>
#include <chrono>

#include "core/base/elapsed.h"
#include "ui/tasks/released_elsewhere.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {
namespace {

/// How long one that waits lets the one that runs go on: so long in any case, and twice the time of the one before.
constexpr double least_patience_ms = 100;
constexpr double patience_factor = 2;

}  // namespace

BackgroundEvaluator::BackgroundEvaluator(QObject* parent, Function evaluate)
    : QObject(parent), evaluate_(evaluate ? std::move(evaluate) : Function(overlap::evaluate)) {
    impatience_.setSingleShot(true);
    connect(&impatience_, &QTimer::timeout, this, &BackgroundEvaluator::startWaiting);
    connect(&task_, &LatestTask::busyChanged, this, [this](bool busy) {
        // Before the result is handed over, which is then known to be of an older request.
        if (!busy) startWaiting();
        setBusy(task_.busy());
    });
}

void BackgroundEvaluator::request(std::shared_ptr<const Graph> graph, Plan plan, quint64 key,
                                  std::shared_ptr<const TimeSource> time_source,
                                  std::shared_ptr<PassResultCache> cache) {
    Request request{std::move(graph), std::move(plan), std::move(time_source), std::move(cache)};
    if (task_.busy() && key == key_) {
        waiting_ = std::move(request);
        if (!impatience_.isActive()) {
            impatience_.start(static_cast<int>(std::max(least_patience_ms, patience_factor * last_ms_)));
        }
        return;
    }
    key_ = key;
    start(std::move(request));
}

void BackgroundEvaluator::cancel() {
    waiting_.reset();
    impatience_.stop();
    task_.cancel();
}

void BackgroundEvaluator::startWaiting() {
    if (waiting_) start(*std::exchange(waiting_, std::nullopt));
}

void BackgroundEvaluator::start(Request request) {
    waiting_.reset();
    impatience_.stop();
    task_.start([this, request = std::move(request), key = key_](std::stop_token stop) -> LatestTask::Delivery {
        try {
            const auto begin = std::chrono::steady_clock::now();
            auto evaluation = evaluate_(request.graph, request.plan, stop, request.time_source, request.cache);
            if (!evaluation) return {};
            if (request.graph->node_count() >= large_graph_nodes) evaluation = releasedElsewhere(std::move(evaluation));
            const double took_ms = milliseconds_since(begin);
            return [this, key, evaluation, took_ms] {
                last_ms_ = took_ms;
                emit ready(key, evaluation);
            };
        } catch (const std::exception& error) {
            return [this, key, reason = reasonOf(error)] { emit failed(key, reason); };
        }
    });
    // No thread could be started. Later, as failures are told: the caller has not told yet what it wants evaluated.
    if (!task_.busy())
        QTimer::singleShot(0, this, [this, key = key_] {
            emit failed(key, tr("No further thread can be started; close other programs and try again"));
        });
}

void BackgroundEvaluator::setBusy(bool busy) {
    if (busy_ == busy) return;
    busy_ = busy;
    emit busyChanged(busy);
}

}  // namespace overlap::ui
