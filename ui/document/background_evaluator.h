#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "core/pipeline/evaluation.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// Evaluates plans in the background. While requests for one plan come faster than they can be answered, as when a
/// slider is dragged, the running evaluation is finished and the newest request comes next, so that figures follow the
/// slider; requests in between are skipped. One that takes much longer than the one before, or is for another plan, is
/// cancelled.
class BackgroundEvaluator : public QObject {
    Q_OBJECT

  public:
    using Function = std::function<std::shared_ptr<const Evaluation>(
        const std::shared_ptr<const Graph>&, const Plan&, std::stop_token, std::shared_ptr<const TimeSource>,
        std::shared_ptr<PassResultCache>)>;

    /// @param evaluate what runs on the worker thread; overlap::evaluate unless a test needs another.
    explicit BackgroundEvaluator(QObject* parent = nullptr, Function evaluate = {});

    /// Evaluates `plan` on `graph` with times of `time_source`, or, where it is null, of the graph; `key` comes back
    /// with the result. Steps whose results are in `cache` are not run.
    void request(std::shared_ptr<const Graph> graph, Plan plan, quint64 key,
                 std::shared_ptr<const TimeSource> time_source = nullptr,
                 std::shared_ptr<PassResultCache> cache = nullptr);
    void cancel();
    /// True until the newest request has been answered: a result that is ready while it is true is of an older one.
    bool busy() const { return busy_; }

  signals:
    void ready(quint64 key, std::shared_ptr<const overlap::Evaluation> evaluation);
    /// An evaluation ended without a result; one sentence without full stop.
    void failed(quint64 key, const QString& reason);
    void busyChanged(bool busy);

  private:
    struct Request {
        std::shared_ptr<const Graph> graph;
        Plan plan;
        std::shared_ptr<const TimeSource> time_source;
        std::shared_ptr<PassResultCache> cache;
    };

    void start(Request request);
    void startWaiting();
    void setBusy(bool busy);

    Function evaluate_;
    LatestTask task_;
    quint64 key_ = 0;                 ///< of the newest request
    std::optional<Request> waiting_;  ///< comes when the one that runs is done
    QTimer impatience_;               ///< runs while one waits
    double last_ms_ = 0;              ///< how long the last evaluation took
    bool busy_ = false;
};

}  // namespace overlap::ui
