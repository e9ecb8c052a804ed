#pragma once

class QMenu;
class QMenuBar;
class QToolBar;

namespace overlap::ui {

class Actions;
class Workspace;

/// Makes a menu of each title in the registry, with its actions in the order in which they were registered; actions of
/// one kind stand in menus below, so that each menu fits a low screen.
/// @returns the empty menu for files that were opened last.
QMenu* makeMenus(QMenuBar& bar, const Actions& actions);

/// Puts the most used actions into the toolbar, with the variants and the figures.
void fillToolBar(QToolBar& bar, const Actions& actions, Workspace& workspace);

}  // namespace overlap::ui
