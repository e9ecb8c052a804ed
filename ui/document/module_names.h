#pragma once

#include <QStringList>

namespace overlap::ui {

/// Names of modules as all texts of the window have them, see short_names(): `layers.[1-31]`, `norm`.
QStringList shortNames(const QStringList& paths);

}  // namespace overlap::ui
