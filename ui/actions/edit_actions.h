#pragma once

namespace overlap::ui {

class Actions;
class EditHistory;
class ModulesPanel;

/// Registers undo and redo, and the search of the module tree.
void registerEditActions(Actions& actions, EditHistory& history, ModulesPanel& modules);

}  // namespace overlap::ui
