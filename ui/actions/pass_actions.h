#pragma once

namespace overlap::ui {

class Actions;
class PassesPanel;

/// Registers what a person can do with the pipeline of the current plan. Keys that mean something else elsewhere work
/// while the steps have the focus.
void registerPassActions(Actions& actions, PassesPanel& passes);

}  // namespace overlap::ui
