#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/search/plan_search.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// What a search has found, and what it was asked for.
struct FoundPlans {
    std::shared_ptr<const Graph> graph;  ///< as the document has it, before links were shared
    SearchResult result;
    std::optional<std::int64_t> limit;  ///< of the peak, in the search
    /// The step of the plan that was shown when the search began, with links shared as they are here; nothing where it
    /// is refused.
    std::optional<double> start_ms;
    bool links_differ = false;  ///< the window shows steps with other links than the search had
    // Steps as the window shows opened plans: groups share links only where the graph's cost model says so. Where the
    // search was stopped, they are not known: nobody is to wait for them.
    std::optional<double> shown_ms;  ///< of the best
    std::vector<double> front_shown_ms, baselines_shown_ms;
};

/// Searches for plans on a worker thread, one search at a time.
class PlanSearchTask : public QObject {
    Q_OBJECT

  public:
    explicit PlanSearchTask(QObject* parent = nullptr) : QObject(parent) {}

    /// Begins anew; what an earlier search finds is dropped.
    /// @param options without `stop` and `progress`.
    /// @param shown the plan to compare with; nothing for the graph as it is.
    void start(std::shared_ptr<const Graph> graph, SearchOptions options, std::optional<Plan> shown);
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
