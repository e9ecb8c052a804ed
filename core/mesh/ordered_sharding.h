#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/mesh/redistribution.h"

namespace overlap {

/// autoparallel's device orders of parameters and gradients (autoparallel/shardings/ordered_sharding.py, seed
/// discussion 003): where a parameter `S(0)S(0)` is gathered to `R S(0)` and its gradient comes as `P(sum)S(0)`,
/// storing the parameter in reversed order makes each of the two a single collective on mesh dimension 0.

/// A tensor that a node reads.
struct PlacedInput {
    int node = 0;  ///< the producer
    /// As the producer leaves it; none where the producer's outputs have no one placement, which autoparallel refuses.
    std::optional<std::vector<Placement>> current;
    std::vector<Placement> wanted;  ///< as this node wants it
};

/// A node of a joint graph, forward and backward, with everything that the rules look at.
struct PlacedNode {
    std::string name;
    std::vector<PlacedInput> inputs;  ///< positional tensor arguments in order, a repeated one repeatedly
    std::vector<int> keyword_inputs;  ///< producers of tensors in keyword arguments
    std::vector<int> users;           ///< in order of first use
};

struct ParameterAndGradient {
    int parameter = 0;
    std::optional<int> gradient;  ///< none for a frozen parameter
};

struct PlacedGraph {
    std::vector<PlacedNode> nodes;
    std::vector<ParameterAndGradient> parameters;
};

/// The nodes that only pass a parameter on, or that only pass a gradient on.
struct SourceChain {
    int source = 0;          ///< the parameter or the gradient
    std::vector<int> nodes;  ///< parameter first, in order of use; gradient first, back to where it is computed
};

/// How the rules change the orders at one node (`OrderInfo`).
struct NodeOrder {
    bool wants_reversed = false;  ///< the node wants its inputs in reversed order
    bool reorders = false;        ///< the node is the one where the order turns
    bool operator==(const NodeOrder&) const = default;
};

/// Chains of all parameters that have users, each followed by that of its gradient. A parameter's chain goes on as long
/// as the first user reads one tensor only and has users; a gradient's chain may be empty.
/// @throws InputError for a node that the graph does not have.
std::vector<SourceChain> parameter_chains(const PlacedGraph& graph);

/// The nodes whose orders change; one entry a node, empty where nothing changes. Both the parameter and its gradient
/// must be redistributed, the first time in their chains exactly as above: meshes of two dimensions only.
/// @throws InputError where a chain reads a tensor without a placement, or a node that the graph does not have.
std::vector<std::optional<NodeOrder>> ordered_sharding(const PlacedGraph& graph);

/// What an input is turned into before its node runs.
struct InputRedistribution {
    ShardingState source, target;
};

/// The redistribution of one input at a node with `order`; none when the input is there as it is wanted. Partial
/// placements cannot be wanted and become replicated ones.
/// @throws InputError when the input has no placement.
std::optional<InputRedistribution> input_redistribution(const PlacedInput& input,
                                                        const std::optional<NodeOrder>& order);

/// Placements in which a node's tensor is stored, for checkpoints: strided shards where the order is reversed.
std::vector<Placement> stored_placements(const std::vector<Placement>& wanted, const std::optional<NodeOrder>& order,
                                         const DeviceMesh& mesh);

/// autoparallel's one collective over all ranks in place of one for each mesh dimension: default orders, the same
/// placement on all mesh dimensions, S(0) to R or P(sum) to S(0). None in all other cases, and on meshes of one
/// dimension, where it is the normal step. It cuts flat where nested cuts are meant: for sizes that do not divide
/// by the number of ranks `gathers_wrong_data` tells whether the result is wrong.
std::optional<RedistributionStep> whole_mesh_step(const ShardingState& source, const ShardingState& target,
                                                  const DeviceMesh& mesh, const MeshTensor& tensor);

}  // namespace overlap
