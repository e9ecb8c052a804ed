#pragma once

#include <QMenu>
#include <memory>
#include <optional>
#include <vector>

#include "core/plan/expert_overlap.h"
#include "ui/tasks/latest_task.h"

namespace overlap {
struct AdviceEffect;
}

namespace overlap::ui {

class Document;

/// Expert overlap of the current plan as one choice: none, or modules and dimension that are halved. Each choice has
/// what step, exposed time and peak change by, found in the background while the menu is open. A choice adds, changes
/// or removes all passes that belong together, as one edit that can be undone.
class ExpertOverlapMenu : public QMenu {
    Q_OBJECT

  public:
    explicit ExpertOverlapMenu(Document& document, QWidget* parent = nullptr);

    /// Why the current plan has no choice, as a sentence without full stop; empty where it has one.
    QString refusal() const;
    /// Whether figures of choices are still being found.
    bool busy() const { return task_.busy(); }

    /// `Whole blocks (layers.*), sequences of the batch`.
    static QString title(const std::optional<ExpertOverlap>& overlap);
    /// `step −6.1 ms · exposed −7 ms · peak +0.2 GiB`, or why the plan would be refused; of a job's step, see
    /// job_step_ms().
    static QString text(const AdviceEffect& effect);

  signals:
    /// refusal() may be another.
    void changed();

  private:
    struct Choice {
        std::optional<ExpertOverlap> overlap;  ///< nothing: none
        QAction* action = nullptr;
    };

    void look();
    void fill();
    void tryNext();

    Document& document_;
    std::shared_ptr<const Graph> graph_;  ///< that choices_ is of
    ExpertOverlapChoices choices_;
    std::vector<Choice> shown_;
    std::size_t next_ = 0;  ///< of shown_, to be evaluated
    LatestTask task_;
};

}  // namespace overlap::ui
