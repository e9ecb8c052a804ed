#pragma once

#include <QMimeData>
#include <QString>
#include <QStringList>

namespace overlap::ui {

/// Type of dragged or copied modules: a JSON list of dotted paths.
inline const QString module_mime_type = QStringLiteral("application/x-overlap-modules+json");

/// Modules as they are dragged or put on the clipboard: the list, and the paths as text, one a line.
/// The caller owns the result.
QMimeData* moduleMimeData(const QStringList& paths);

/// The modules that `data` holds; empty where it holds none.
QStringList modulesOf(const QMimeData* data);

}  // namespace overlap::ui
