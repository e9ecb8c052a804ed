#pragma once

#include "core/timeline/lane_rasterizer.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

/// The theme's colours by role. `dimmed` moves everything towards the background, for what a search or a selection
/// excludes.
LanePalette lanePalette(const Theme& theme, bool dimmed = false);

/// Colour of a role, for bars and legends.
QColor roleColour(const Theme& theme, EventRole role);

}  // namespace overlap::ui
