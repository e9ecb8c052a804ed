#pragma once

#include <functional>

namespace overlap::ui {

class Actions;
class TimelineView;

/// Registers what a person can do with the timeline, and the keys that it handles by itself.
/// @param export_timeline asks for a file of what is visible, or of all.
void registerTimelineActions(Actions& actions, TimelineView& timeline,
                             const std::function<void(bool visibleOnly)>& export_timeline);

}  // namespace overlap::ui
