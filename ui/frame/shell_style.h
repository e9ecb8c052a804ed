#pragma once

#include <QString>

namespace overlap::ui {

struct Theme;

/// What the window adds to the theme's style sheet for its own widgets.
QString shellStyleSheet(const Theme& theme);

}  // namespace overlap::ui
