#pragma once

namespace overlap::ui {

class GraphView;

/// Makes screen readers see the boxes of graph views: each drawn box is a child of the box around it, with its name,
/// figures and state, and can be opened and selected. Needed once; more often does no harm.
void installGraphAccessibility();

/// Tells screen readers that another box of the view is current.
void announceCurrentBox(GraphView& view);

}  // namespace overlap::ui
