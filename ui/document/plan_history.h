#pragma once

#include <QString>
#include <deque>
#include <optional>
#include <vector>

#include "core/plan/plan.h"
#include "ui/document/plan_change.h"

namespace overlap::ui {

/// The edits of one plan, without the variant that they were made in.
struct PlanHistory {
    struct Edit {
        QString text;
        PlanChange change;
        QString merge_key;
    };
    Plan plan;  ///< with the first `done` edits made
    std::vector<Edit> edits;
    int done = 0;
};

/// Histories of plans that were closed, or whose graph was: who opens such a plan again can still undo what was edited.
/// They live as long as the program.
class PlanHistories {
  public:
    /// How many are kept; the oldest ones go first.
    static constexpr std::size_t limit = 64;

    /// @param graph the key of the graph's source.
    void keep(const QString& graph, PlanHistory history);
    /// Removes and returns the newest history of this plan of this graph, if there is one.
    std::optional<PlanHistory> take(const QString& graph, const Plan& plan);

  private:
    struct Kept {
        QString graph;
        PlanHistory history;
    };
    std::deque<Kept> kept_;
};

}  // namespace overlap::ui
