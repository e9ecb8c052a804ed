#pragma once

#include <QString>
#include <vector>

namespace overlap::ui {

/// From now on a crash of this process (a signal such as SIGSEGV, an abort, an uncaught exception) leaves
/// `crash-<process>.txt` in `folder`: what happened, the version, and a backtrace. stderr gets its path and what
/// happens to the plans. Then the process ends as it would have. Nothing of the application's own state is touched:
/// where a session is kept, the plans are in it already. Threads whose stack overflows need a SignalStack for it.
/// @param version of the application, for the report.
/// @param keeps_session whether the plans come back at the next start.
void installCrashReports(const QString& folder, const QString& version, bool keeps_session);

/// One crash as the next start finds it.
struct CrashReport {
    QString file;  ///< where the report stays, as stderr had it
    QString text;  ///< readable: names of functions as in the source
};

/// Reports that no start has shown yet, oldest first. Each is returned once, also where two instances ask at a time: an
/// empty `crash-<process>.told` beside it says so. The ten newest that were shown are kept.
std::vector<CrashReport> takeCrashReports(const QString& folder);

}  // namespace overlap::ui
