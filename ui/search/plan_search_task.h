#pragma once

#include <QObject>
#include <memory>
#include <stop_token>

#include "core/search/plan_search.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// What a search has found, and what it was asked for.
struct FoundPlans {
    std::shared_ptr<const Graph> graph;  ///< as the document has it, before links were shared
    SearchResult result;
    /// The step of the best as the window shows it: groups share links only where the graph's cost model says so.
    double shown_ms = 0;
};

/// Searches for plans on a worker thread, one search at a time.
class PlanSearchTask : public QObject {
    Q_OBJECT

  public:
    explicit PlanSearchTask(QObject* parent = nullptr) : QObject(parent) {}

    /// Begins anew; what an earlier search finds is dropped.
    /// @param options without `stop` and `progress`.
    void start(std::shared_ptr<const Graph> graph, SearchOptions options);
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
