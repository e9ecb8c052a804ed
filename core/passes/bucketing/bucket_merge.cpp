#include "core/passes/bucketing/bucket_merge.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/graph/editing/topological_sort.h"
#include "core/passes/bucketing/bucket_emission.h"
#include "core/passes/bucketing/layout_repair.h"
#include "core/passes/bucketing/padded_input.h"

namespace overlap {

namespace {

/// torch's `_sort_bucket_region`: new nodes may come before an input that was computed late. Sorts the shortest
/// stretch that holds the new nodes and the inputs found on the way to the nearest placeholder before and output behind
/// them.
void sort_bucket_region(GraphEditor& graph, const std::vector<NodeId>& nodes, std::span<const NodeId> inputs) {
    NodeId first = nodes.front(), last = nodes.back();
    std::vector<NodeId> external;
    for (const NodeId input : inputs) {
        if (std::ranges::find(external, input) == external.end()) external.push_back(input);
    }
    std::size_t remaining = external.size();
    // The walk backward ends at the first placeholder; nothing before it is found.
    NodeId earliest = first;
    for (const NodeId input : external) {
        if (graph.op(input) == NodeOp::placeholder || !graph.is_before(input, first)) continue;
        bool behind_placeholder = false;
        for (NodeId node = input; node != first && !behind_placeholder; node = graph.next(node)) {
            behind_placeholder = graph.op(node) == NodeOp::placeholder;
        }
        if (behind_placeholder) continue;
        --remaining;
        if (graph.is_before(input, earliest)) earliest = input;
    }
    NodeId latest = last;
    if (remaining > 0) {
        for (const NodeId input : external) {
            if (!graph.is_before(last, input)) continue;
            bool behind_output = false;
            for (NodeId node = graph.next(last); node != input && !behind_output; node = graph.next(node)) {
                behind_output = graph.op(node) == NodeOp::output;
            }
            if (!behind_output && graph.is_before(latest, input)) latest = input;
        }
    }
    if (earliest == latest) return;
    std::vector<NodeId> region;
    for (NodeId node = earliest;; node = graph.next(node)) {
        region.push_back(node);
        if (node == latest || graph.next(node) == no_node) break;
    }
    if (!stable_topological_sort_region(graph, region)) {
        throw InputError("node " + in_quotes(graph.name(nodes.front())),
                         "merging its bucket makes a cycle, and PyTorch raises an AssertionError (stable topological "
                         "sort of region failed)");
    }
}

/// The one user of a member, its wait.
NodeId only_user(const GraphEditor& graph, NodeId start) {
    if (graph.user_count(start) != 1) {
        refuse_member(graph, start,
                      "it has " + std::to_string(graph.user_count(start)) +
                          " users, and PyTorch raises an AssertionError because it expects its wait alone");
    }
    NodeId user = no_node;
    graph.for_each_user(start, [&](NodeId only) { user = only; });
    return user;
}

NodeMetadata metadata_of_new_nodes(const NodeMetadata& first_member) {
    NodeMetadata metadata;
    metadata.module_stack = first_member.module_stack;
    metadata.fwd_module_stack = first_member.fwd_module_stack;
    metadata.custom_json = first_member.custom_json;
    metadata.module_fqn = first_member.module_fqn;
    return metadata;
}

std::vector<NodeId> emit(TracedSequence& trace, CollectiveKind kind, BucketMode mode, const BucketMembers& members) {
    const bool custom = mode == BucketMode::custom_ops;
    switch (kind) {
        case CollectiveKind::all_gather:
            return custom ? emit_all_gather_custom(trace, members) : emit_all_gather_concatenated(trace, members);
        case CollectiveKind::reduce_scatter:
            if (mode == BucketMode::coalesced) return emit_reduce_scatter_coalesced(trace, members);
            return custom ? emit_reduce_scatter_custom(trace, members)
                          : emit_reduce_scatter_concatenated(trace, members);
        default:
            return emit_all_reduce(trace, members);
    }
}

}  // namespace

NodeId merged_input(const GraphEditor& graph, NodeId start) {
    const NodeId input = graph.node_argument(start, 0);
    if (input == no_node) refuse_member(graph, start, "its input is not a node, and PyTorch raises an AssertionError");
    if (graph.target_info(start).recognised != CollectiveKind::all_gather) return input;
    if (graph.op(input) != NodeOp::call_function || graph.user_count(input) != 1) return input;
    const std::string_view target = graph.target(input);
    if (target != "prims.convert_element_type.default" && target != "aten._to_copy.default") return input;
    const NodeId converted = graph.node_argument(input, 0);
    if (converted == no_node) refuse_member(graph, start, "the conversion of its input has no node to convert");
    return converted;
}

MergedBucket merge_bucket(GraphEditor& graph, std::span<const NodeId> starts, BucketMode mode,
                          const MergePlace& place) {
    const CollectiveKind kind = graph.target_info(starts.front()).recognised;
    const bool scatters = kind == CollectiveKind::reduce_scatter;

    std::vector<NodeId> inputs, waits, conversions;
    std::vector<std::vector<std::int64_t>> shapes;  // of the inputs before padding is removed
    std::vector<std::int64_t> padded_inputs;
    std::vector<NodeId> packing_nodes;
    for (const NodeId start : starts) {
        waits.push_back(only_user(graph, start));
        NodeId input = merged_input(graph, start);
        conversions.push_back(input == graph.node_argument(start, 0) ? no_node : graph.node_argument(start, 0));
        if (graph.outputs(input).size() != 1 || !graph.outputs(input).front().is_tensor ||
            graph.outputs(start).size() != 1 || !graph.outputs(start).front().is_tensor) {
            refuse_member(graph, start, "the file does not say which tensor goes in or comes out");
        }
        if (scatters) {
            const std::span<const std::int64_t> shape = graph.shape(graph.outputs(input).front());
            shapes.emplace_back(shape.begin(), shape.end());
            const auto match = mode == BucketMode::custom_ops ? match_padded_input(graph, input, start) : std::nullopt;
            if (match) {
                padded_inputs.push_back(static_cast<std::int64_t>(inputs.size()));
                packing_nodes.insert(packing_nodes.end(), match->packing_nodes.begin(), match->packing_nodes.end());
                input = match->source;
            }
        }
        inputs.push_back(input);
    }

    TracedSequence trace(graph, place.before, metadata_of_new_nodes(graph.metadata(starts.front())));
    const std::vector<NodeId> outputs = emit(trace, kind, mode, {starts, inputs, shapes, padded_inputs});

    MergedBucket merged;
    merged.nodes = trace.nodes();
    std::vector<NodeId> replaced_users;
    for (std::size_t member = 0; member < starts.size(); ++member) {
        const std::vector<NodeId> users = graph.users(waits[member]);
        replaced_users.insert(replaced_users.end(), users.begin(), users.end());
        graph.replace_all_uses(waits[member], outputs[member]);
        merged.replacements.emplace_back(waits[member], outputs[member]);
    }
    repair_layouts(graph, replaced_users);

    const auto is_wait = [&](NodeId node) { return graph.target_info(node).is_wait; };
    const auto first_wait = std::ranges::find_if(merged.nodes, is_wait);
    for (auto moved = first_wait; moved != merged.nodes.end(); ++moved) graph.move_before(*moved, place.wait_before);
    std::ranges::copy_if(merged.nodes, std::back_inserter(merged.waits), is_wait);
    merged.start = graph.node_argument(*first_wait, 0);
    if (graph.target_info(merged.start).is_getitem) merged.start = graph.node_argument(merged.start, 0);

    for (std::size_t member = 0; member < starts.size(); ++member) {
        graph.erase(waits[member]);
        graph.erase(starts[member]);
        if (conversions[member] != no_node) graph.erase(conversions[member]);
    }
    sort_bucket_region(graph, merged.nodes, inputs);
    erase_dead_packing_nodes(graph, packing_nodes);
    return merged;
}

}  // namespace overlap
