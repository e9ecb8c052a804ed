#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "core/advice/advice.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// A change with what it is worth.
struct AdviceRow {
    Advice advice;
    AdviceEffect effect;
    bool worthwhile = false;  ///< see is_worthwhile()
};

/// Finds changes of an evaluated plan and evaluates one after the other on a worker thread, then what to go on with
/// after the best of them; rows come as they are found.
class AdviceSearch : public QObject {
    Q_OBJECT

  public:
    explicit AdviceSearch(QObject* parent = nullptr);

    /// Begins anew. @param collectives indices of Simulation::collectives.
    /// @param with_problems fixes of the plan's problems as well.
    void start(std::shared_ptr<const Evaluation> evaluation, std::vector<std::size_t> collectives, bool with_problems);
    void cancel();

    bool busy() const { return task_.busy(); }
    /// All that was asked for has been looked at. Neither busy nor finished it has not begun, was cancelled, or failed.
    bool finished() const { return finished_; }
    /// Changes evaluated so far, and how many there are; 0 while they are being found.
    std::size_t tried() const { return tried_; }
    std::size_t found() const { return changes_ ? changes_->size() : 0; }

  signals:
    void rowFound(const overlap::ui::AdviceRow& row);
    /// tried(), found(), busy() or finished() are others.
    void progressed();

  private:
    void tryNext();
    void takeUp(const AdviceRow& row);
    void goOn();

    std::shared_ptr<const Evaluation> evaluation_;
    std::shared_ptr<const std::vector<Advice>> changes_;
    std::size_t tried_ = 0;
    std::vector<AdviceRow> best_;  ///< that are worth it, the best first
    std::size_t gone_on_ = 0;      ///< of these, after which a second change was looked for
    std::vector<Plan> pairs_;      ///< what each pair that was found makes
    bool finished_ = false;
    LatestTask task_;  ///< last: what it delivers uses the members above
};

}  // namespace overlap::ui
