#pragma once

#include <QPixmap>
#include <QStringList>

namespace overlap::ui {

/// What is dragged, in words: `layers.0`, or `layers.[1-31], 31 modules`.
QString dragLabel(const QStringList& modules);
/// What hangs at the pointer while modules are dragged.
QPixmap dragPicture(const QStringList& modules, qreal pixel_ratio);
/// Where the pointer is in it: below the picture, so that it does not cover what a card says of the drop.
QPoint dragHotSpot(const QPixmap& picture);

}  // namespace overlap::ui
