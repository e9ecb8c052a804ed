#pragma once

#include <QObject>
#include <memory>
#include <stop_token>

#include "ui/search/found_plans.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// Searches for plans on a worker thread, one search at a time.
class PlanSearchTask : public QObject {
    Q_OBJECT

  public:
    explicit PlanSearchTask(QObject* parent = nullptr) : QObject(parent) {}

    /// Begins anew; what an earlier search finds is dropped.
    /// @param graph as the document has it, before links are shared.
    void start(std::shared_ptr<const Graph> graph, SearchRequest request);
    /// The best so far is the result, or there is none yet and the search fails.
    void finishNow();
    /// Nothing is delivered any more.
    void cancel();
    bool busy() const { return task_.busy(); }

  signals:
    void progressed(const overlap::SearchProgress& progress);
    void found(std::shared_ptr<const overlap::ui::FoundPlans> plans);
    /// @param reason a sentence without full stop.
    void failed(const QString& reason);

  private:
    std::stop_source stop_;
    quint64 serial_ = 0;  ///< of the newest search
    CallQueue calls_;
    LatestTask task_;  ///< last: what it delivers uses the members above
};

}  // namespace overlap::ui
