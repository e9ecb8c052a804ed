#pragma once

#include <span>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/pipeline/evaluation.h"
#include "core/views/module_figures.h"

namespace overlap {

/// Collectives of an evaluation's input that a step of its plan took away without making others in their place, such as
/// a parameter's second gather: they do not run. Ascending; empty where the plan is refused.
/// A bucket stands for its members; a gather that a step makes otherwise for those of the same parameter that it takes
/// away; anything else that it makes for all that it takes away.
std::vector<NodeId> removed_collectives(const Evaluation& evaluation);

/// What collectives add to the numbers of collectives and to their bytes; all else is 0.
/// @param collectives of the graph, ascending: those that a plan takes away, see removed_collectives().
ModuleFiguresTable communicated_by(const Graph& graph, const ModuleTree& tree, std::span<const NodeId> collectives);

/// The same for those of the collectives that are among `nodes`, which are ascending.
ModuleFigures communicated_in(const Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> collectives);

/// What is communicated beside `taken`; all else stays.
ModuleFigures communicating_without(ModuleFigures figures, const ModuleFigures& taken);

}  // namespace overlap
