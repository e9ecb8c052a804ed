#pragma once

#include <span>

#include "core/graph/editing/graph_editor.h"

namespace overlap {

/// Evaluates again where and how tensors are laid out in memory, for nodes whose inputs were replaced by a bucket's
/// outputs and for what follows from them (torch/_inductor/fx_passes/bucketing.py, `_recompute_changed_user_metadata`).
/// A bucket's output has the sizes of what it replaces but another storage and offset, and sometimes other strides.
/// Like the reference, a node whose strides and offset stay the same is not changed.
/// @param users of the replaced nodes, after the replacement.
/// @throws InputError where strides change below an operator whose result depends on them in a way that is not known.
void repair_layouts(GraphEditor& graph, std::span<const NodeId> users);

}  // namespace overlap
