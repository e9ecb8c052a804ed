#pragma once

namespace overlap::ui {

class Actions;
class OverlapConnection;

/// Registers what a person can ask of the selected collective by hand, and how a collective is dragged.
void registerOverlapActions(Actions& actions, OverlapConnection& overlaps);

}  // namespace overlap::ui
