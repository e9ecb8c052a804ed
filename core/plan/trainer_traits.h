#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/module_tree.h"
#include "core/passes/option.h"

namespace overlap {

/// The two patterns of modules that the trainer halves; the first is its default.
inline const std::string whole_blocks = "layers.*", expert_modules = "layers.*.moe";

/// The part of the trainer's configuration that a graph shows.
struct TrainerTraits {
    bool joint = false;            ///< made by the graph trainer: one module name a node, forward and backward in one
    bool exchanges = false;        ///< all-to-alls: expert parallelism
    bool chunked = false;          ///< the chunking of expert parallelism's overlap has been done
    bool symbolic_inputs = false;  ///< the job traced sizes that modules can be halved along
    std::string halved_by_pass;    ///< pattern of the modules that the chunk pass halved; empty where none is
    std::string halved_by_model;   ///< pattern of the modules whose batch the model halves itself; empty where none is
    bool halves_ordered = false;   ///< the all-to-alls of the halves have been ordered
    bool recomputes = false;       ///< rematerialisation or offloading has been done
    bool bucketed = false;         ///< bucketing has been done
    bool gathers_again = false;    ///< all-gathers in the backward pass: parameters are resharded after forward
    bool communicates_activations = false;  ///< gathers and scatters that are not FSDP's: tensor parallelism
    bool reassigned = false;                ///< gathers have a separate process group
    std::int64_t layers = 0;
    std::vector<std::int64_t> expert_layers;
    NamedIntegers module_order;

    /// Whether the chunk pass halves modules here: the job has traced for it, and has not done it.
    bool pass_halves() const { return symbolic_inputs && !chunked && !bucketed && halved_by_model.empty(); }
    /// Pattern of the modules that are halved when the order of their halves is made; empty where none is.
    std::string halved_modules() const {
        if (pass_halves()) return whole_blocks;
        return halved_by_model.empty() ? halved_by_pass : halved_by_model;
    }
};

/// @param tree the graph's, by preferred_module_source().
TrainerTraits trainer_traits(const Graph& graph, const ModuleTree& tree);

}  // namespace overlap
