#pragma once

class QProcess;

namespace overlap::ui {

/// Kills a process and waits until it is gone: none outlives the window, and none is gone from before it has ended.
/// Nothing more is heard of it.
void endProcess(QProcess& process);

/// The same without waiting: `process` is deleted when it is gone.
void endProcessLater(QProcess* process);

}  // namespace overlap::ui
