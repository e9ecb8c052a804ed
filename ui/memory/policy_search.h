#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/plan/memory_choices.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// What a memory section comes to with the rest of a plan.
struct PolicyPoint {
    MemoryChoice choice;
    double step_ms = 0;           ///< that a job can reach, see step_with_links_shared()
    bool shared = false;          ///< the step is not that of the figures, in which links are not shared
    std::int64_t peak_bytes = 0;  ///< the corrected peak
    bool refused = false;
    std::string refusal;
};

/// Evaluates the memory choices of a graph with a plan, one after the other on a worker thread.
class PolicySearch : public QObject {
    Q_OBJECT

  public:
    explicit PolicySearch(QObject* parent = nullptr) : QObject(parent) {}

    /// Begins anew. @param plan whose memory section is replaced.
    void start(std::shared_ptr<const Graph> graph, Plan plan, std::vector<MemoryChoice> choices,
               std::shared_ptr<const TimeSource> time_source, std::shared_ptr<PassResultCache> cache);
    void cancel();
    bool busy() const { return task_.busy(); }

  signals:
    void pointFound(const overlap::ui::PolicyPoint& point);
    void busyChanged();

  private:
    void tryNext();
    void letGo();

    std::shared_ptr<const Graph> graph_;
    Plan plan_;
    std::vector<MemoryChoice> choices_;
    std::shared_ptr<const TimeSource> time_source_;
    std::shared_ptr<PassResultCache> cache_;
    std::size_t next_ = 0;
    LatestTask task_;  ///< last: what it delivers uses the members above
};

}  // namespace overlap::ui
