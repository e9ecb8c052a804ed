#pragma once

namespace overlap::ui {

class Actions;
class GraphView;

/// The actions of the graph view, and the keys that it handles itself.
void registerGraphActions(Actions& actions, GraphView& view);

}  // namespace overlap::ui
