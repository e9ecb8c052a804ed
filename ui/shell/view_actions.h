#pragma once

namespace overlap::ui {

class Actions;
class ThemeChoice;
class Workspace;

/// Registers how a person goes to views, shows and hides docks, and chooses the theme.
void registerViewActions(Actions& actions, Workspace& workspace, ThemeChoice& theme);

}  // namespace overlap::ui
