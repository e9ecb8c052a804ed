#pragma once

#include <QString>

namespace overlap::ui {

struct Theme;

/// The part of the style sheet for the window's own widgets, in addition to the theme's.
QString shellStyleSheet(const Theme& theme);

}  // namespace overlap::ui
