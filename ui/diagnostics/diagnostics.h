#pragma once

#include <QString>
#include <QStringList>

namespace overlap::ui {

/// What this process is and runs on, a line each: version, Qt, platform, screens, memory.
QStringList systemLines();

/// Text to send along with a report of a fault: system, what companions found, the open document's size, the last lines
/// of the log. Names of modules and nodes are in it only as far as log lines have them; contents of files are not.
/// @param document a line on what is open, such as its counts.
QString diagnosticsText(const QStringList& companions, const QString& document, const QString& session_folder);

}  // namespace overlap::ui
