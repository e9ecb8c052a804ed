#pragma once

namespace overlap::ui {

class Actions;
class ThemeChoice;
class Workspace;

/// Registers the actions that switch views, show and hide docks, and choose the theme.
void registerViewActions(Actions& actions, Workspace& workspace, ThemeChoice& theme);

}  // namespace overlap::ui
