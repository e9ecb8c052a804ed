#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <optional>

#include "ui/files/graph_loader.h"
#include "ui/session/session_state.h"
#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

/// What can be undone in plans that are about to be opened. Thousands of edits take longer to read than the window may
/// stand still. Those of a graph's plans are read beside the graph, which opens when both are there, so that nothing is
/// edited before; that of a closed plan before it is opened.
class EarlyHistories {
  public:
    /// What was read of a plan.
    struct Read {
        std::shared_ptr<const PlanHistory> history{};  ///< null where none was kept
        QString problem{};                             ///< why it cannot be had; empty where it was read
    };

    /// To be called when a graph is about to be read.
    /// @param kept what the session has of it; may be nullptr. @param folder of the session.
    /// @returns what waits until histories are read, but no longer than a folder may take; none where there are none.
    GraphLoader::Companion begin(const SessionDocument* kept, const QString& folder);
    /// To be called when a closed plan is about to be opened: reads that of this plan, in place of all others.
    /// @param graph of the plan, for messages. @param folder of the session.
    /// @param then runs once, from the event loop, when it was read, cannot be, or the folder does not answer; not
    /// after clear().
    /// @returns whether there is anything to wait for. If not, `then` does not run.
    bool beginOne(const SessionVariant& kept, const QString& graph, const QString& folder, std::function<void()> then);
    /// That of a kept plan; nothing where it was not read, or not yet.
    std::optional<Read> of(const SessionVariant& kept) const;
    /// Drops them, once the plans are open, and what is still being read.
    void clear() { reading_ = nullptr; }

  private:
    struct Reading;

    std::shared_ptr<Reading> reading_;
    DetachedTasks tasks_;
};

}  // namespace overlap::ui
