#pragma once

namespace overlap::ui {

class Actions;
class PassesPanel;

/// Registers the actions on the pipeline of the current plan. Keys with other meanings elsewhere work while the steps
/// have the focus.
void registerPassActions(Actions& actions, PassesPanel& passes);

}  // namespace overlap::ui
