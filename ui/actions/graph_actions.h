#pragma once

namespace overlap::ui {

class Actions;
class GraphView;

/// What can be done with the graph view, and the keys that it handles by itself.
void registerGraphActions(Actions& actions, GraphView& view);

}  // namespace overlap::ui
