#include "core/passes/bucketing/eligibility.h"

#include <algorithm>

#include "core/passes/bucketing/fsdp_collectives.h"

namespace overlap {

namespace {

constexpr NodeId several = PlaceholderAncestry::several;

}  // namespace

/// Whether every node reachable from a node, before the output, has exactly one distinct input. Found for those nodes
/// that are asked for: few lead to a gradient.
class BucketingEligibility::Unjoined {
  public:
    explicit Unjoined(const Graph& graph) : graph_(graph) {}

    bool has(NodeId start) {
        if (known_.empty()) known_.resize(graph_.node_count(), State::unknown);
        stack_.push_back(start);
        while (!stack_.empty()) {
            const NodeId node = stack_.back();
            if (known_[node] != State::unknown || look(node)) stack_.pop_back();
        }
        return known_[start] == State::alone;
    }

  private:
    enum class State : std::uint8_t { unknown, alone, joined };

    /// @returns false where users have to be looked at first.
    bool look(NodeId node) {
        const std::size_t before = stack_.size();
        State state = State::alone;
        for (const NodeId user : graph_.users(node)) {
            if (graph_.op(user) == NodeOp::output) continue;
            if (graph_.inputs(user).size() != 1 || known_[user] == State::joined) state = State::joined;
            // In a graph that is not sorted yet a user may stand in front: nothing is known of it then.
            if (known_[user] == State::unknown && user > node) stack_.push_back(user);
        }
        if (state == State::joined) stack_.resize(before);
        if (stack_.size() > before) return false;
        known_[node] = state;
        return true;
    }

    const Graph& graph_;
    std::vector<State> known_;
    std::vector<NodeId> stack_;
};

BucketingEligibility::BucketingEligibility(const Graph& graph) {
    const std::uint32_t count = graph.node_count();
    waits_.assign(count, no_node);
    for (NodeId node = 0; node < count; ++node) {
        if (graph.op(node) != NodeOp::call_function || !graph.target_info(node).is_wait) continue;
        const Value* awaited = graph.argument(node, 0);
        if (awaited && awaited->is(ValueKind::node)) waits_[awaited->node] = node;
    }
    find_placeholders(graph);
    Unjoined unjoined(graph);
    obstacles_.assign(count, BucketingObstacle::no_collective);
    for (NodeId node = 0; node < count; ++node) {
        if (graph.op(node) != NodeOp::call_function || graph.target_info(node).starts == CollectiveKind::none) continue;
        obstacles_[node] = judge(graph, node, unjoined);
        if (obstacles_[node] == BucketingObstacle::none) collectives_.push_back(node);
    }
}

void BucketingEligibility::find_placeholders(const Graph& graph) {
    placeholders_.assign(graph.node_count(), no_node);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        placeholders_[node] = PlaceholderAncestry::combined(graph, node, placeholders_);
    }
}

NodeId BucketingEligibility::only_placeholder(NodeId node) const {
    return placeholders_[node] == several ? no_node : placeholders_[node];
}

/// Of a node that starts communication.
BucketingObstacle BucketingEligibility::judge(const Graph& graph, NodeId node, Unjoined& unjoined) const {
    const std::string_view target = graph.target(node);
    const bool gather = target == "_c10d_functional.all_gather_into_tensor.default" ||
                        target == "_c10d_functional.all_gather_into_tensor_out.default";
    const bool scatter = target == "_c10d_functional.reduce_scatter_tensor.default";
    if (!gather && !scatter && target != "_c10d_functional.all_reduce.default") return BucketingObstacle::kind;
    if (waits_[node] == no_node) return BucketingObstacle::not_awaited;
    if (gather && placeholders_[node] == no_node) return BucketingObstacle::no_placeholder;
    if (gather && placeholders_[node] == several) return BucketingObstacle::several_placeholders;
    if (scatter && !unjoined.has(node)) return BucketingObstacle::joined_downstream;
    return BucketingObstacle::none;
}

std::string describe(BucketingObstacle obstacle) {
    switch (obstacle) {
        case BucketingObstacle::none:
            return {};
        case BucketingObstacle::no_collective:
            return "the node starts no communication";
        case BucketingObstacle::kind:
            return "only plain all-gathers, reduce-scatters and all-reduces are bucketed, no other or coalesced forms";
        case BucketingObstacle::not_awaited:
            return "nothing waits for its result directly";
        case BucketingObstacle::no_placeholder:
            return "it gathers a value that depends on no input of the graph";
        case BucketingObstacle::several_placeholders:
            return "it gathers a value that depends on more than one input of the graph, so no parameter alone";
        case BucketingObstacle::joined_downstream:
            return "its result is combined with other values before the graph ends, so it is no plain gradient";
    }
    return {};
}

std::int64_t collective_input_bytes(const Graph& graph, NodeId start) {
    std::int64_t bytes = 0;
    if (const Value* input = graph.argument(start, 0)) {
        for_each_node(graph.values(), *input, [&](NodeId source) { bytes += graph.output_bytes(source); });
    }
    return bytes;
}

std::int64_t collective_output_bytes(const Graph& graph, NodeId start) {
    return graph.output_bytes(start);
}

std::int64_t collective_bytes(const Graph& graph, NodeId start) {
    return std::max(collective_input_bytes(graph, start), collective_output_bytes(graph, start));
}

}  // namespace overlap
