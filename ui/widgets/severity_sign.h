#pragma once

#include <QPainter>

#include "core/passes/pass.h"

namespace overlap::ui {

/// Width and height of the sign of a problem, in pixels.
inline constexpr int severity_sign_size = 10;

/// A disc, a triangle or a ring: the shape shows the severity as well as the colour.
void paintSeveritySign(QPainter& painter, Severity severity, const QRectF& area);
/// What the sign says, for screen readers: "Error", "Caution", "Note".
QString severityName(Severity severity);

}  // namespace overlap::ui
