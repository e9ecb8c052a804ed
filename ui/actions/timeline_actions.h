#pragma once

#include <functional>

namespace overlap::ui {

class Actions;
class TimelineView;

/// Registers the actions on the timeline, and the keys that it handles itself.
/// @param export_timeline asks for a file of what is visible, or of all.
void registerTimelineActions(Actions& actions, TimelineView& timeline,
                             const std::function<void(bool visibleOnly)>& export_timeline);

}  // namespace overlap::ui
