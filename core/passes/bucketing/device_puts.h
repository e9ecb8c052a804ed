#pragma once

#include "core/graph/editing/graph_editor.h"

namespace overlap {

/// Whether a graph has a `prims.device_put` that does not block.
bool has_asynchronous_device_put(const Graph& graph);

/// Makes these copies blocking, because a pass that orders nodes could let a later read overtake them
/// (torch/_inductor/fx_passes/overlap_scheduling.py, `make_all_device_put_sync`).
void make_device_puts_blocking(GraphEditor& graph);

}  // namespace overlap
