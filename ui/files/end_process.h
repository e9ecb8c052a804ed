#pragma once

class QProcess;

namespace overlap::ui {

/// Kills a process and waits until it has ended, at most 30 s, so that it can be deleted. It sends no more signals.
void endProcess(QProcess& process);

/// Kills a process without waiting, for what goes on: `process` is deleted when it has ended. It sends no more signals.
void endProcessLater(QProcess* process);

}  // namespace overlap::ui
