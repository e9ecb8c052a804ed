#pragma once

#include <span>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/pipeline/evaluation.h"
#include "core/views/module_sums.h"

namespace overlap {

/// What the compute stream runs of a plan's result, by the nodes and modules of the input that it is for. All of it
/// together is Simulation::compute_ms.
struct ComputedTime {
    /// Of each node of the input: of itself, of the halves that it was cut into, and of what is done again of it.
    std::vector<double> nodes_ms;

    /// What passes made of no node of the input, such as the copies of buckets and products that are fused with their
    /// collective.
    struct Made {
        ModuleTree::ModuleId module = ModuleTree::no_module;  ///< in which it is; no_module: in none
        bool backward = false;
        double ms = 0;
    };
    std::vector<Made> made;  ///< one for each module and direction
};

/// What a pass made belongs to the module that it says, else to that of its last input with a module.
/// @param tree modules of the evaluation's input.
ComputedTime computed_time(const Evaluation& evaluation, const ModuleTree& tree);

/// The same summed over modules. Where every node has a module, the root has what passes made in none.
ModuleSums module_computed_ms(const ComputedTime& computed, const ModuleTree& tree);

/// What passes made in these modules together, descendants included.
double made_in(const ComputedTime& computed, const ModuleTree& tree, std::span<const ModuleTree::ModuleId> modules);

}  // namespace overlap
