#include "core/passes/scheduling/bucket_application.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/graph/editing/topological_sort.h"
#include "core/passes/bucketing/bucket_report.h"

namespace overlap::scheduling {

namespace {

/// The buffer that a merged gather of mode custom_ops fills also converts its members; else the gather itself.
NodeId replacement_of_conversion(const GraphEditor& editor, NodeId start) {
    const Value* out = editor.keyword(start, "out");
    if (!out || !out->is(ValueKind::node)) return start;
    const NodeId buffer = editor.current(out->node);
    return editor.target(buffer) == "bucketing._pre_bucket_all_gather.default" ? buffer : start;
}

/// Whether `to` is reached from `from` over inputs and dependencies.
bool is_ancestor(const GraphEditor& editor, const AugmentedGraph& graph, NodeId to, NodeId from) {
    std::vector<bool> seen(editor.number_count());
    std::vector<NodeId> stack = {from};
    const auto visit = [&](NodeId node) {
        if (seen[node]) return;
        seen[node] = true;
        stack.push_back(node);
    };
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        for (const NodeId input : editor.inputs(node)) visit(input);
        if (node < graph.dependencies().size()) {
            for (const NodeId dependency : graph.dependencies()[node]) visit(dependency);
        }
    }
    return seen[to];
}

[[noreturn]] void refuse_cycle(const GraphEditor& editor, AugmentedGraph& graph) {
    std::string removed, place;
    std::size_t count = 0;
    const std::vector<NodeId> dependents = graph.dependents();
    for (const NodeId node : dependents) {
        const OrderedNodes dependencies = graph.dependencies()[node];
        for (const NodeId dependency : dependencies) {
            if (!is_ancestor(editor, graph, node, dependency)) continue;
            graph.remove(node, dependency);
            if (count++ == 0) place = "node " + in_quotes(editor.name(node));
            if (count <= 5) {
                removed += count == 1 ? "" : ", ";
                removed += in_quotes(editor.name(node)) + " after " + in_quotes(editor.name(dependency));
            }
        }
    }
    if (count == 0) {
        throw InputError("", "the overlaps cannot be ordered without a cycle, and PyTorch raises an AssertionError");
    }
    if (count > 5) removed += " and " + std::to_string(count - 5) + " more";
    throw InputError(place, counted(count, "overlap") + (count == 1 ? " contradicts" : " contradict") +
                                " the order of the graph (" + removed +
                                "), and PyTorch raises a RuntimeError: detected cyclic extra deps; it goes on with "
                                "aten_distributed_optimizations.overlap_scheduling_autofix_cycles, which drops " +
                                (count == 1 ? "it" : "them") +
                                ", and a higher max_in_flight_gb or max_memory_increase_gb often avoids them");
}

bool is_collective_wait(const GraphEditor& editor, NodeId node) {
    if (editor.op(node) != NodeOp::call_function || !editor.target_info(node).is_wait) return false;
    NodeId start = editor.node_argument(node, 0);
    if (start != no_node && editor.op(start) == NodeOp::call_function && editor.target_info(start).is_getitem) {
        start = editor.node_argument(start, 0);
    }
    return start != no_node && editor.op(start) == NodeOp::call_function &&
           editor.target_info(start).recognised != CollectiveKind::none;
}

/// A wait, or a node that only a wait uses (`is_collective_or_wait`): not a coalesced collective.
bool is_collective_or_wait(const GraphEditor& editor, NodeId node) {
    if (is_collective_wait(editor, node)) return true;
    if (editor.user_count(node) != 1) return false;
    bool awaited = false;
    editor.for_each_user(node, [&](NodeId user) { awaited = is_collective_wait(editor, user); });
    return awaited;
}

}  // namespace

void apply_bucket(GraphEditor& editor, const CollectiveTable& table, const Bucket& bucket, BucketMode mode,
                  AugmentedGraph& graph, BucketReport& report) {
    std::vector<NodeId> starts, waits, conversions;
    for (const Index member : bucket) {
        const NodeId start = table.collectives[member].start;
        starts.push_back(start);
        waits.push_back(table.collectives[member].wait);
        const NodeId input = editor.node_argument(start, 0);
        if (merged_input(editor, start) != input) conversions.push_back(input);
    }
    NodeId anchor = starts.front();
    while (std::ranges::find(starts, anchor) != starts.end()) anchor = editor.next(anchor);
    const MergedBucket merged = merge_bucket(editor, starts, mode, {anchor, anchor}, report);

    std::vector<std::pair<NodeId, NodeId>> replaced;
    for (const NodeId start : starts) replaced.emplace_back(start, merged.start);
    for (std::size_t member = 0; member < waits.size(); ++member) {
        replaced.emplace_back(waits[member], merged.waits.size() == 1 ? merged.waits.front() : merged.waits[member]);
    }
    for (const NodeId conversion : conversions) {
        replaced.emplace_back(conversion, replacement_of_conversion(editor, merged.start));
    }
    graph.transfer(replaced, editor);
}

void sort_by_dependencies(GraphEditor& editor, AugmentedGraph& graph) {
    graph.drop_erased(editor);
    if (!stable_topological_sort(editor, graph.dependencies())) refuse_cycle(editor, graph);
}

OverlapDependencies dependencies_to_insert(const GraphEditor& editor, const AugmentedGraph& graph) {
    std::vector<std::int8_t> known(editor.number_count(), -1);
    const auto is_communication = [&](NodeId node) {
        if (known[node] < 0) known[node] = is_collective_or_wait(editor, node);
        return known[node] == 1;
    };
    OverlapDependencies inserted;
    for (const NodeId node : graph.dependents()) {
        std::vector<NodeId> kept;
        for (const NodeId dependency : graph.dependencies()[node]) {
            if (!is_communication(node) || !is_communication(dependency)) kept.push_back(dependency);
        }
        if (!kept.empty()) inserted.emplace_back(node, std::move(kept));
    }
    return inserted;
}

}  // namespace overlap::scheduling
