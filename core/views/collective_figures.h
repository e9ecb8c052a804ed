#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// One collective of a result, with what its timing does not say: what it was made of, where that is, and what hides
/// it.
struct CollectiveFigures {
    std::uint32_t timing = 0;          ///< index of Simulation::collectives
    std::vector<NodeId> members;       ///< collectives of the input that it was made of, or does again or in
                                       ///< halves; see MembersOfResult::sources_of()
    std::vector<std::string> modules;  ///< that the members belong to, each once, in order of members
    std::string module;                ///< the same in short, see short_modules(); empty where there is none
    std::int32_t entry = -1;           ///< of the plan whose bucket it is, or -1
    std::string bucket;                ///< that entry's title
    double hidden_ms = 0;              ///< of its time in which compute runs
    NodeId hidden_by = no_node;        ///< the compute that runs beside it for longest, or no_node
    std::uint32_t hiding_nodes = 0;    ///< how many nodes of compute run beside it
    double could_hide_ms = 0;          ///< how much less of it would be exposed at most, see could_hide_ms()
    bool of_half = false;              ///< of one half of a module whose batch is halved, see BatchHalves
    double by_other_half_ms = 0;       ///< of hidden_ms, what compute of the module's other half hides
};

/// Of all collectives of an evaluation, in order of issue: an element for each of Simulation::collectives. Where times
/// are not known (Evaluation::times_known), nothing hides anything.
/// @param tree modules of the evaluation's input.
std::vector<CollectiveFigures> collective_figures(const Evaluation& evaluation, const ModuleTree& tree);

/// Sums over some collectives of an evaluation.
struct CollectiveSums {
    std::uint32_t collectives = 0;
    double time_ms = 0;  ///< on their streams, each counted whole, also where several run at once
    double exposed_ms = 0;
    double could_hide_ms = 0;  ///< each for itself, so that together it may be less
    std::int64_t bytes = 0;
    std::uint32_t exchanges_of_halves = 0;  ///< all-to-alls of modules whose batch is halved
    double exchanges_ms = 0;                ///< their part of time_ms
    double hidden_by_other_half_ms = 0;     ///< of that, while the other half computes

    /// @param figures of the collective.
    void add(const CollectiveTiming& collective, const CollectiveFigures& figures);
};

/// Paths of modules in short: the beginnings that at most two of them, or ranges of them, have between them, as deep as
/// that goes.
/// `layers.0.attention.wq`, `layers.0.feed_forward.w1` and `layers.0.feed_forward.w2` are `layers.0.attention,
/// layers.0.feed_forward`; what is all over the model is empty.
std::string short_modules(const std::vector<std::string>& paths);

}  // namespace overlap
