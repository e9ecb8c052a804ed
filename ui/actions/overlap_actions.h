#pragma once

namespace overlap::ui {

class Actions;
class OverlapConnection;

/// Registers the actions on the selected collective's overlap, and how a collective is dragged.
void registerOverlapActions(Actions& actions, OverlapConnection& overlaps);

}  // namespace overlap::ui
