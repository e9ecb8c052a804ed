#pragma once

#include <QObject>
#include <memory>

#include "core/plan/evaluation.h"
#include "ui/document/latest_task.h"

namespace overlap::ui {

/// Evaluates plans in the background. A newer request cancels the older one, stale results are dropped.
class Evaluator : public QObject {
    Q_OBJECT

  public:
    using Function = std::function<std::shared_ptr<const Evaluation>(const std::shared_ptr<const Graph>&, const Plan&,
                                                                     std::stop_token)>;

    /// @param evaluate what runs on the worker thread; overlap::evaluate unless a test needs another.
    explicit Evaluator(QObject* parent = nullptr, Function evaluate = {});

    /// Evaluates `plan` on `graph`; `key` comes back with the result.
    void request(std::shared_ptr<const Graph> graph, Plan plan, quint64 key);
    void cancel() { task_.cancel(); }
    bool busy() const { return task_.busy(); }

  signals:
    void ready(quint64 key, std::shared_ptr<const overlap::Evaluation> evaluation);
    /// An evaluation ended without a result; one sentence without full stop.
    void failed(quint64 key, const QString& reason);
    void busyChanged(bool busy);

  private:
    Function evaluate_;
    LatestTask task_;
};

}  // namespace overlap::ui
