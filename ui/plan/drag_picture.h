#pragma once

#include <QPixmap>
#include <QStringList>

namespace overlap::ui {

/// What hangs at the pointer while modules are dragged.
QPixmap dragPicture(const QStringList& modules, qreal pixel_ratio);

}  // namespace overlap::ui
