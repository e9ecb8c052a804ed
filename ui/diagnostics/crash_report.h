#pragma once

#include <QString>
#include <vector>

namespace overlap::ui {

/// From now on a crash of this process (a signal such as SIGSEGV, an abort, an exception that nobody caught) leaves
/// `crash-<process>.txt` in `folder`: what happened, the version, and a backtrace. Then the process ends as it would
/// have. Nothing of the application's own state is touched: plans are in the session already.
/// @param version of the application, for the report.
void installCrashReports(const QString& folder, const QString& version);

/// One crash as the next start finds it.
struct CrashReport {
    QString file;  ///< where the report stays
    QString text;  ///< readable: names of functions as in the source
};

/// Reports that no start has told of yet, oldest first. Each is returned once: its file is renamed to
/// `told-crash-<process>.txt`, in place of the oldest where there are more than ten.
std::vector<CrashReport> takeCrashReports(const QString& folder);

}  // namespace overlap::ui
