#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/redistribution/redistribution_mesh.h"
#include "core/redistribution/redistribution_path.h"

namespace overlap {

/// Collectives of a graph that together redistribute one parameter, or its gradient, once.
struct RedistributionChain {
    enum class Role { parameter, gradient };
    Role role = Role::parameter;
    RedistributionPath path;
    std::vector<NodeId> collectives;  ///< the actions that communicate, in order
    std::int64_t bytes = 0;           ///< larger of input and output of each, added up
    double time_ms = 0;               ///< of the nodes, added up, as simulations use them; 0 without times

    /// Shape without the cuts of this mesh, and the widest dtype that is communicated.
    MeshTensor tensor;
    /// How the tensor lies on ParameterChains::mesh before the path and after each action. Empty where not inferred.
    std::vector<ShardingState> states;

    const ShardingState& source() const { return states.front(); }
    const ShardingState& target() const { return states.back(); }
};

/// One parameter of a graph with all redistributions of it.
struct ParameterChains {
    NodeId parameter = no_node;  ///< the placeholder
    std::string name;            ///< the document's name for it, else the placeholder's
    GroupMesh mesh;              ///< the process groups of all chains; empty where they form no mesh
    /// How the parameter is stored, on `mesh`. Mesh dimensions on which nothing of it is ever communicated are not part
    /// of that: graphs do not show what is there, and no path depends on it.
    ShardingState storage;
    std::vector<RedistributionChain> chains;  ///< in the order of the graph; the gradient's at the end
    /// Why states are not known; a sentence without full stop, empty when they are.
    std::string obstacle;

    bool inferred() const { return obstacle.empty(); }
};

/// What redistribution_chains() finds in a graph.
struct GraphChains {
    std::vector<ParameterChains> parameters;  ///< in the order of their placeholders
    /// Outputs of the graph that a reduction leads to and whose parameter is unknown.
    std::vector<NodeId> unmatched_gradients;
};

/// The chains of all parameters whose collectives a graph shows apart. See
/// redistribution_path.h for what is recognised.
///
/// * **Mesh**: the process groups of a parameter's chains, by their ranks (redistribution_mesh.h).
/// * **Placements**: what is gathered was a shard, what is reduced was partial; what a chain leaves alone follows from
///   the other chains of the parameter, since a gradient is stored as its parameter is. A chunk names no group: it
///   belongs to the replicated mesh dimension with its number of parts and this rank's place; of several, to the
///   outermost that the gradient is gathered from, for a use ends as its gradient begins, and a gradient's to the
///   outermost that its parameter is gathered from. A piece that no mesh dimension explains is computation.
/// * **Order**: what is gathered first cuts last; a chain with another order is not explained.
/// * **Shape**: from this rank's tensor after the gathers, or before the reduction; it must chunk to what the graph
///   shows at both ends.
/// * **Gradient**: a tensor among the graph's outputs that a reduction leads to. It is its parameter's when module (of
///   the gradient's nodes, of the parameter's name) and local shape agree, several in the order of parameters and
///   outputs, where there are as many of the one as of the other: the order in which AOTAutograd returns gradients.
///
/// What is ambiguous or contradictory is reported as `obstacle`, never guessed.
/// @param times_ms of each node, see node_times_ms(); may be empty.
GraphChains redistribution_chains(const Graph& graph, std::span<const double> times_ms);

}  // namespace overlap
