#pragma once

#include <QString>
#include <memory>
#include <optional>

#include "ui/files/graph_loader.h"
#include "ui/session/session_state.h"
#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

/// What can be undone in plans of a graph that is being read. Thousands of edits take longer to read than the window
/// may stand still, so they are read beside the graph; the graph opens when both are there, and nothing is edited
/// before.
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
    /// That of a kept plan; nothing where it was not read, or not yet.
    std::optional<Read> of(const SessionVariant& kept) const;
    /// Drops them, once the plans are open.
    void clear() { reading_ = nullptr; }

  private:
    struct Reading;

    std::shared_ptr<Reading> reading_;
    DetachedTasks tasks_;
};

}  // namespace overlap::ui
