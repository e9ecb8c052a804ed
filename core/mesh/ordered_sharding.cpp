#include "core/mesh/ordered_sharding.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/graph/error.h"
#include "core/mesh/strided_order.h"

namespace overlap {
namespace {

/// A chain may not be longer than the graph: users and inputs of a graph of a step form no cycle.
void check_length(const PlacedGraph& graph, const SourceChain& chain) {
    if (chain.nodes.size() > graph.nodes.size())
        throw InputError("node \"" + graph.nodes[static_cast<std::size_t>(chain.source)].name + "\"",
                         "its chain of users or inputs runs in a circle");
}

const PlacedNode& node_of(const PlacedGraph& graph, int node) {
    if (node < 0 || node >= static_cast<int>(graph.nodes.size()))
        throw InputError("node " + std::to_string(node),
                         "the graph has " + std::to_string(graph.nodes.size()) + " nodes, counted from 0");
    return graph.nodes[static_cast<std::size_t>(node)];
}

/// The one producer that the node reads, positional and keyword arguments together; none when it reads no or several.
std::optional<int> only_input(const PlacedNode& node) {
    std::optional<int> only;
    for (const PlacedInput& input : node.inputs) {
        if (only && *only != input.node) return std::nullopt;
        only = input.node;
    }
    for (const int input : node.keyword_inputs) {
        if (only && *only != input) return std::nullopt;
        only = input;
    }
    return only;
}

SourceChain chain_from_parameter(const PlacedGraph& graph, int parameter) {
    SourceChain chain{parameter, {parameter}};
    int user = node_of(graph, parameter).users.front();
    while (only_input(node_of(graph, user)) && !node_of(graph, user).users.empty()) {
        chain.nodes.push_back(user);
        check_length(graph, chain);
        user = node_of(graph, user).users.front();
    }
    return chain;
}

SourceChain chain_to_gradient(const PlacedGraph& graph, int gradient) {
    SourceChain chain{gradient, {}};
    int node = gradient;
    while (const std::optional<int> input = only_input(node_of(graph, node))) {
        chain.nodes.push_back(node);
        check_length(graph, chain);
        node = *input;
    }
    return chain;
}

std::vector<Placement> without_partials(std::vector<Placement> placements) {
    std::ranges::replace_if(placements, &Placement::is_partial, Placement::replicate());
    return placements;
}

const std::vector<Placement>& current_placements(const PlacedInput& input) {
    if (!input.current)
        throw InputError("tensor of node " + std::to_string(input.node),
                         "has no placement of its own; autoparallel does not order outputs of which there are several");
    return *input.current;
}

/// The first change of placements at a node, and where it happens.
struct FirstRedistribution {
    int source = 0;
    int node = 0;
    std::vector<Placement> current, wanted;
};

/// Of the inputs that are redistributed, the first producer, with its last change: arguments are looked up by producer.
std::optional<FirstRedistribution> first_redistribution(const PlacedNode& node) {
    std::optional<FirstRedistribution> found;
    std::optional<int> producer;
    for (const PlacedInput& input : node.inputs) {
        const std::vector<Placement>& current = current_placements(input);
        if (current == input.wanted || (producer && *producer != input.node)) continue;
        producer = input.node;
        found = FirstRedistribution{.current = current, .wanted = without_partials(input.wanted)};
    }
    return found;
}

/// Chains by source, and the source of each node. A later chain takes nodes over; places in the sequence stay.
struct ChainIndex {
    std::vector<SourceChain> chains;
    std::vector<int> sequence;                  ///< nodes of all chains, as first met
    std::vector<std::optional<int>> source_of;  ///< of each node

    explicit ChainIndex(const PlacedGraph& graph) : chains(parameter_chains(graph)), source_of(graph.nodes.size()) {
        for (const SourceChain& chain : chains) {
            for (const int node : chain.nodes) {
                std::optional<int>& source = source_of[static_cast<std::size_t>(node)];
                if (!source) sequence.push_back(node);
                source = chain.source;
            }
        }
    }

    const SourceChain& of(int source) const {
        return *std::ranges::find(chains.rbegin(), chains.rend(), source, &SourceChain::source);
    }
};

/// The first redistribution of every source, in the order in which they are met.
std::vector<FirstRedistribution> first_redistributions(const PlacedGraph& graph, const ChainIndex& index) {
    std::vector<FirstRedistribution> firsts;
    for (const int node : index.sequence) {
        std::optional<FirstRedistribution> first = first_redistribution(node_of(graph, node));
        const int source = *index.source_of[static_cast<std::size_t>(node)];
        if (!first || std::ranges::find(firsts, source, &FirstRedistribution::source) != firsts.end()) continue;
        first->source = source;
        first->node = node;
        firsts.push_back(*std::move(first));
    }
    return firsts;
}

/// The one pattern that the rules know. Stored, gathered for use; partial, scattered into what is stored.
bool matches(const FirstRedistribution& parameter, const FirstRedistribution& gradient) {
    const Placement cut = Placement::shard(0);
    const std::vector<Placement> stored = {cut, cut};
    const std::vector<Placement> used = {Placement::replicate(), cut};
    const std::vector<Placement> summed = {Placement::partial(ReduceOp::sum), cut};
    return parameter.current == stored && parameter.wanted == used && gradient.current == summed &&
           gradient.wanted == stored;
}

void assign(const SourceChain& chain, int turning_node, bool wants_reversed,
            std::vector<std::optional<NodeOrder>>& orders) {
    for (const int node : chain.nodes) {
        std::optional<NodeOrder>& order = orders[static_cast<std::size_t>(node)];
        if (node == turning_node) {
            order = NodeOrder{wants_reversed, true};
            return;
        }
        order = NodeOrder{true, false};
    }
}

ShardOrder default_or_reversed(const std::vector<Placement>& placements, bool reversed) {
    ShardOrder order = default_shard_order(placements);
    if (reversed)
        for (ShardOrderEntry& entry : order) std::ranges::reverse(entry.mesh_dims);
    return order;
}

bool all_are(const std::vector<Placement>& placements, const Placement& placement) {
    return std::ranges::all_of(placements, [&](const Placement& each) { return each == placement; });
}

}  // namespace

std::vector<SourceChain> parameter_chains(const PlacedGraph& graph) {
    std::vector<SourceChain> chains;
    for (const auto& [parameter, gradient] : graph.parameters) {
        if (node_of(graph, parameter).users.empty()) continue;
        chains.push_back(chain_from_parameter(graph, parameter));
        if (gradient) chains.push_back(chain_to_gradient(graph, *gradient));
    }
    return chains;
}

std::vector<std::optional<NodeOrder>> ordered_sharding(const PlacedGraph& graph) {
    const ChainIndex index(graph);
    const std::vector<FirstRedistribution> firsts = first_redistributions(graph, index);
    std::vector<std::optional<NodeOrder>> orders(graph.nodes.size());
    for (const FirstRedistribution& parameter : firsts) {
        const auto pair = std::ranges::find(graph.parameters.rbegin(), graph.parameters.rend(), parameter.source,
                                            &ParameterAndGradient::parameter);
        if (pair == graph.parameters.rend() || !pair->gradient) continue;
        const auto gradient = std::ranges::find(firsts, *pair->gradient, &FirstRedistribution::source);
        if (gradient == firsts.end() || !matches(parameter, *gradient)) continue;
        assign(index.of(parameter.source), parameter.node, false, orders);
        assign(index.of(gradient->source), gradient->node, true, orders);
    }
    return orders;
}

std::optional<InputRedistribution> input_redistribution(const PlacedInput& input,
                                                        const std::optional<NodeOrder>& order) {
    const std::vector<Placement>& current = current_placements(input);
    const bool from_reversed = order && !(order->wants_reversed && order->reorders);
    const bool to_reversed = order && order->wants_reversed;
    InputRedistribution change{{current, default_or_reversed(current, from_reversed)},
                               {without_partials(input.wanted), default_or_reversed(input.wanted, to_reversed)}};
    if (current == input.wanted && change.source.shard_order == change.target.shard_order) return std::nullopt;
    return change;
}

std::vector<Placement> stored_placements(const std::vector<Placement>& wanted, const std::optional<NodeOrder>& order,
                                         const DeviceMesh& mesh) {
    if (!order || !order->wants_reversed) return wanted;
    return strided_placements({wanted, default_or_reversed(wanted, true)}, mesh);
}

std::optional<RedistributionStep> whole_mesh_step(const ShardingState& source, const ShardingState& target,
                                                  const DeviceMesh& mesh, const MeshTensor& tensor) {
    if (mesh.dims() < 2 || !is_default_order(source) || !is_default_order(target)) return std::nullopt;
    const Placement cut = Placement::shard(0), partial = Placement::partial(ReduceOp::sum);
    const bool gathers = all_are(source.placements, cut) && all_are(target.placements, Placement::replicate());
    const bool scatters = all_are(source.placements, partial) && all_are(target.placements, cut);
    if (!gathers && !scatters) return std::nullopt;
    RedistributionStep step;
    for (int mesh_dim = 0; mesh_dim < mesh.dims(); ++mesh_dim) step.mesh_dims.push_back(mesh_dim);
    step.source = source.placements.front();
    step.destination = target.placements.front();
    step.kind = gathers ? StepKind::all_gather : StepKind::reduce_scatter;
    step.logical_shape = tensor.shape;
    step.cost = std::numeric_limits<double>::quiet_NaN();
    return step;
}

}  // namespace overlap
