#pragma once

namespace overlap::ui {

/// Property of a LatestTask whose tasks run within start(), while the window waits, where there is no thread for them
/// and none can be started: nothing could be done without their results. Others fail then, with a sentence.
inline constexpr const char* runs_without_thread_property = "runsWithoutThread";

}  // namespace overlap::ui
