#pragma once

#include <optional>

#include "core/timeline/lane.h"

namespace overlap::ui {

struct SessionDocument;

/// The visible part of the timeline that is restored with a graph. The graph is open before its timeline exists: until
/// then the range waits, and what the timeline shows is not the user's choice.
class RangeRestore {
  public:
    /// Another graph is open; its timeline follows.
    void graphOpened() { waiting_ = true; }
    /// The timeline exists.
    /// @param kept what the session has of the graph, or nullptr.
    /// @returns the range to show; nothing where none was kept, or the graph's timeline existed before.
    std::optional<TimeRange> timelineShown(const SessionDocument* kept);
    /// Puts the range into what the session keeps: what is shown, or the older one while that still waits.
    /// @param older what the session has of the graph, or nullptr.
    /// @param shown visible part of the plan's timeline.
    void fill(SessionDocument& document, const SessionDocument* older, TimeRange shown) const;

  private:
    bool waiting_ = false;
};

}  // namespace overlap::ui
