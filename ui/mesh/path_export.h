#pragma once

#include <QPainter>
#include <QString>

#include "ui/mesh/answers/path_comparison.h"

namespace overlap::ui {

/// How large the picture of a path is, in pixels at 100 %.
QSize pathPictureSize(const PathComparison& comparison, std::size_t path);
/// Paints every state of a path with the steps between them. Vectors only, so that it is sharp in every format.
void paintPath(QPainter& painter, const PathComparison& comparison, std::size_t path);
/// Writes that picture; the format is that of the name: .svg, or .png at twice the size.
/// @returns an empty string, or one sentence on why it could not be written.
QString savePathPicture(const QString& file, const PathComparison& comparison, std::size_t path);

}  // namespace overlap::ui
