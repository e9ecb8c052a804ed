#include "core/passes/bucketing/eligibility.h"

#include <algorithm>

#include "core/passes/bucketing/fsdp_collectives.h"

namespace overlap {

namespace {

constexpr NodeId several = PlaceholderAncestry::several;

/// For each node whether every node reachable from it, before the output, has exactly one distinct input.
std::vector<bool> reaches_end_alone(const Graph& graph) {
    std::vector<bool> alone(graph.node_count(), true);
    for (NodeId node = graph.node_count(); node-- > 0;) {
        for (const NodeId user : graph.users(node)) {
            if (graph.op(user) == NodeOp::output) continue;
            if (graph.inputs(user).size() != 1 || !alone[user]) alone[node] = false;
        }
    }
    return alone;
}

}  // namespace

BucketingEligibility::BucketingEligibility(const Graph& graph) {
    const std::uint32_t count = graph.node_count();
    waits_.assign(count, no_node);
    for (NodeId node = 0; node < count; ++node) {
        if (graph.op(node) != NodeOp::call_function || !graph.target_info(node).is_wait) continue;
        const Value* awaited = graph.argument(node, 0);
        if (awaited && awaited->is(ValueKind::node)) waits_[awaited->node] = node;
    }
    find_placeholders(graph);
    const std::vector<bool> alone = reaches_end_alone(graph);
    obstacles_.resize(count);
    for (NodeId node = 0; node < count; ++node) {
        obstacles_[node] = judge(graph, node, alone);
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

BucketingObstacle BucketingEligibility::judge(const Graph& graph, NodeId node,
                                              const std::vector<bool>& unjoined) const {
    if (graph.op(node) != NodeOp::call_function) return BucketingObstacle::no_collective;
    const TargetInfo& info = graph.target_info(node);
    if (info.starts == CollectiveKind::none) return BucketingObstacle::no_collective;
    const std::string_view target = graph.target(node);
    const bool gather = target == "_c10d_functional.all_gather_into_tensor.default" ||
                        target == "_c10d_functional.all_gather_into_tensor_out.default";
    const bool scatter = target == "_c10d_functional.reduce_scatter_tensor.default";
    if (!gather && !scatter && target != "_c10d_functional.all_reduce.default") return BucketingObstacle::kind;
    if (waits_[node] == no_node) return BucketingObstacle::not_awaited;
    if (gather && placeholders_[node] == no_node) return BucketingObstacle::no_placeholder;
    if (gather && placeholders_[node] == several) return BucketingObstacle::several_placeholders;
    if (scatter && !unjoined[node]) return BucketingObstacle::joined_downstream;
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
