#pragma once

#include <QLoggingCategory>
#include <QString>
#include <QStringList>

namespace overlap::ui {

/// Messages of the window (files opened and saved, failures): also written to the log file.
Q_DECLARE_LOGGING_CATEGORY(windowLog)

/// From now on everything that Qt and the application log goes to `log.txt` in `folder`: time, level, category, text,
/// one line each. Warnings and worse go to stderr too, except what the window shows anyway. Information and debugging
/// text of a category are written where QT_LOGGING_RULES asks for it (`overlap.*.debug=true`); by default debugging
/// text is not. A file that has grown beyond a MiB is renamed to `log.1.txt` in place of an older one.
/// @returns an empty string, or a sentence on why nothing can be written there; the application then runs without a
/// log.
QString startLogFile(const QString& folder);

/// The last lines of the log, oldest first; empty where there is none.
QStringList lastLogLines(int count);

}  // namespace overlap::ui
