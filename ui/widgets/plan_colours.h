#pragma once

#include <QColor>
#include <QIcon>
#include <functional>

#include "core/plan/plan_colour.h"

class QMenu;

namespace overlap::ui {

/// For display, such as `Blue`; `No colour` for `none`.
QString colourName(PlanColour colour);
/// The current theme's hue of that name; no valid colour for `none`.
QColor hueOf(PlanColour colour);
/// A mark as tables have it (TableDelegate); no icon for `none`.
QIcon colourMark(PlanColour colour);
/// An entry for each colour and for none, `present` checked.
void fillColourMenu(QMenu& menu, PlanColour present, const std::function<void(PlanColour)>& choose);

}  // namespace overlap::ui
