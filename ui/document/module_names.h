#pragma once

#include <QStringList>

namespace overlap::ui {

/// Names of modules as all texts of the window have them, see short_names(): `layers.[1-31]`, `norm`.
QStringList shortNames(const QStringList& paths);

/// The same as ranges, also where they are few, see module_ranges().
QStringList rangesOf(const QStringList& paths);

/// All of them as lines of a tool tip, which breaks none itself: as many in a line as can be read there.
QStringList namesInLines(const QStringList& paths, const QString& separator);

}  // namespace overlap::ui
