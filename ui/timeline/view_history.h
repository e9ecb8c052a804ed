#pragma once

#include <QElapsedTimer>
#include <vector>

#include "core/timeline/lane.h"

namespace overlap::ui {

/// The ranges that were looked at, for going back and forth. Separate from the undo of edits.
class ViewHistory {
  public:
    enum class Motion {
        Jump,    ///< a step of its own: focus, marquee, fit
        Gliding  ///< one of many: wheel, held keys, drag; those that follow each other closely become one step
    };

    /// Tells that the view is about to leave `range`.
    void leaving(TimeRange range, Motion motion);
    bool canGoBack() const { return !past_.empty(); }
    bool canGoForward() const { return !future_.empty(); }
    /// The range before `current`. Only when canGoBack().
    TimeRange back(TimeRange current);
    /// The range after `current`. Only when canGoForward().
    TimeRange forward(TimeRange current);
    void clear();

  private:
    std::vector<TimeRange> past_;
    std::vector<TimeRange> future_;
    QElapsedTimer lastGlide_;
};

}  // namespace overlap::ui
