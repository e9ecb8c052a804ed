#pragma once

#include <QString>

class QTreeView;

namespace overlap::ui {

/// How low a table of a panel can become, in pixels, so that the controls above it stay whole in a low dock.
inline constexpr int lowest_table = 24;

/// Makes `view` a table of a panel: rows without levels, of one height and marked whole, columns that keep their order,
/// no frame, no column stretched.
/// @param name for screen readers.
void makeFlatTable(QTreeView& view, const QString& name);

}  // namespace overlap::ui
