#pragma once

#include <span>

#include "core/graph/graph_editor.h"

namespace overlap {

/// A node whose input was replaced by a bucket's output.
struct ReplacedUser {
    NodeId user;
    NodeId old_input;
    NodeId new_input;
};

/// Tells the users of replaced nodes, and views of them, where their tensors lie now
/// (torch/_inductor/fx_passes/bucketing.py, `_recompute_changed_user_metadata`). The outputs of a bucket have the sizes
/// and strides of what they replace and differ in storage and offset only; like the reference, a user is left as it was
/// when its offset does not change.
/// @throws PassRefusal when sizes, strides or dtype differ: every user would have to be evaluated anew.
void repair_layouts(GraphEditor& graph, std::span<const ReplacedUser> replaced);

}  // namespace overlap
