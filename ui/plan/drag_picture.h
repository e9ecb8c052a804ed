#pragma once

#include <QPixmap>
#include <QRect>
#include <QStringList>

namespace overlap::ui {

/// What is dragged, in words: `layers.0`, or `layers.[1-31], 31 modules`.
QString dragLabel(const QStringList& modules);
/// What hangs at the pointer while modules are dragged.
QPixmap dragPicture(const QStringList& modules, qreal pixel_ratio);
/// Where the pointer is in it: right of the picture and a row below it, so that it covers neither the row under the
/// pointer nor the figures at the right of it.
QPoint dragHotSpot(const QPixmap& picture);
/// What that picture covers while the pointer is at a place: figures of a drop are shown elsewhere.
QRect dragPictureAt(const QStringList& modules, const QPoint& pointer);

}  // namespace overlap::ui
