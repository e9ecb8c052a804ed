#pragma once

#include <QString>
#include <deque>
#include <memory>
#include <vector>

#include "core/plan/plan.h"
#include "ui/document/plan_change.h"

namespace overlap::ui {

/// The edits of one plan, without the variant that they were made in. It never changes: a plan that is edited has
/// another one.
struct PlanHistory {
    struct Edit {
        QString text;
        PlanChange change;
        QString merge_key;
        /// Where the session has it, of an edit that was made in an earlier run; see HistoryFiles.
        QString file{};
        int place = 0;  ///< in that file
    };
    std::vector<std::shared_ptr<const Edit>> edits;
    int done = 0;               ///< edits that are made in the plan; the others can be redone
    int saved = -1;             ///< edits that are made in what the plan's file has; -1: none of these states
    bool begins_later = false;  ///< the plan had edits before these, which cannot be undone
    bool ends_earlier = false;  ///< edits behind these had been undone, and cannot be redone

    bool empty() const { return edits.empty(); }
};

/// Whether all edits can be undone and redone from this plan, which has the first `done` of them.
bool fits(const PlanHistory& history, Plan plan);

/// Histories of plans that were closed, or whose graph was: who opens such a plan again can still undo what was edited.
/// They live as long as the program; what is kept longer is in the session.
class PlanHistories {
  public:
    /// How many are kept; the oldest ones go first.
    static constexpr std::size_t limit = 64;

    /// @param graph the key of the graph's source.
    void keep(const QString& graph, const Plan& plan, std::shared_ptr<const PlanHistory> history);
    /// Removes and returns the newest history of this plan of this graph; null where there is none.
    std::shared_ptr<const PlanHistory> take(const QString& graph, const Plan& plan);

  private:
    struct Kept {
        QString graph;
        Plan plan;
        std::shared_ptr<const PlanHistory> history;
    };
    std::deque<Kept> kept_;
};

}  // namespace overlap::ui
