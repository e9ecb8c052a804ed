#include "core/passes/scheduling/collectives.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/cost/cost_model.h"
#include "core/passes/bucketing/bucket_keys.h"

namespace overlap::scheduling {

namespace {

/// The collective that a wait awaits, through at most one getitem; no_node when it awaits something else
/// (`_get_collective_node_from_wait`).
NodeId awaited_collective(const Graph& graph, NodeId wait) {
    const auto node_argument = [&](NodeId node) {
        const Value* argument = graph.argument(node, 0);
        if (!argument || !argument->is(ValueKind::node)) {
            refuse_member(graph, node, "its argument is not a node, and PyTorch raises an AssertionError");
        }
        return argument->node;
    };
    NodeId start = node_argument(wait);
    if (graph.op(start) != NodeOp::call_function) return no_node;
    if (graph.target_info(start).is_getitem) {
        start = node_argument(start);
        if (graph.op(start) != NodeOp::call_function) return no_node;
    }
    if (graph.target(start).starts_with("operator.")) {
        refuse_member(graph, wait,
                      "it waits behind two Python operators such as getitem, and PyTorch raises an AttributeError");
    }
    return graph.target_info(start).recognised == CollectiveKind::none ? no_node : start;
}

/// Of all tensors that a node returns; nothing where it returns none.
std::optional<std::int64_t> tensor_bytes(const Graph& graph, const SymbolicSizes& sizes, NodeId node) {
    std::optional<std::int64_t> bytes;
    const std::span<const TensorMeta> outputs = graph.outputs(node);
    for (std::size_t output = 0; output < outputs.size(); ++output) {
        if (!outputs[output].is_tensor) continue;
        bytes = bytes.value_or(0) + sizes.elements(node, output, SymbolicSizes::guess_in_collectives) *
                                        dtype_info(outputs[output].dtype).bytes;
    }
    return bytes;
}

/// `estimate_fx_collective_memory_footprint`: every mention of a tensor counts, `out` does not.
std::int64_t footprint_bytes(const Graph& graph, const SymbolicSizes& sizes, NodeId start) {
    std::int64_t taken = 0;
    bool takes_tensor = false;
    const auto count = [&](NodeId input) {
        if (graph.record(input).multi) return;
        const std::optional<std::int64_t> bytes = tensor_bytes(graph, sizes, input);
        takes_tensor |= bytes.has_value();
        taken += bytes.value_or(0);
    };
    for_each_node(graph.values(), graph.record(start).args, count);
    const std::span<const Value> keywords = graph.children(graph.record(start).kwargs);
    for (std::size_t index = 0; index + 1 < keywords.size(); index += 2) {
        if (graph.text(keywords[index].string) == "out") continue;
        for_each_node(graph.values(), keywords[index + 1], count);
    }
    if (!takes_tensor || !graph.record(start).has_outputs) return 0;
    const std::int64_t bytes = taken + tensor_bytes(graph, sizes, start).value_or(0);
    return graph.target(start) == "_c10d_functional.all_reduce.default" ? bytes / 2 : bytes;
}

template <typename Item>
Index number_of(std::vector<Item>& known, const Item& item) {
    const auto found = std::ranges::find(known, item);
    const auto number = static_cast<Index>(found - known.begin());
    if (found == known.end()) known.push_back(item);
    return number;
}

double latency_of(const Graph& graph, NodeId start, std::string_view group) {
    try {
        return collective_time_ms(graph, group, graph.target_info(start).starts, 0);
    } catch (const InputError& error) {
        throw InputError("node " + in_quotes(graph.name(start)),
                         "the scheduler needs the latency of its process group: " + error.problem(), error.code());
    }
}

}  // namespace

CollectiveTable identify_collectives(const Graph& graph, bool multidtype, std::span<const double> times_ms,
                                     const SymbolicSizes& sizes) {
    CollectiveTable table;
    table.by_start.assign(graph.node_count(), no_index);
    table.by_wait.assign(graph.node_count(), no_index);
    std::vector<BucketKey> keys, latency_keys;
    std::vector<double> latencies;  // by group; negative: not computed yet
    for (NodeId wait = 0; wait < graph.node_count(); ++wait) {
        if (graph.op(wait) != NodeOp::call_function || !graph.target_info(wait).is_wait) continue;
        const NodeId start = awaited_collective(graph, wait);
        if (start == no_node) continue;
        if (table.by_start[start] != no_index) {
            table.by_wait[wait] = table.by_start[start];
            continue;
        }
        table.by_start[start] = table.by_wait[wait] = static_cast<Index>(table.collectives.size());
        Collective collective;
        collective.start = start;
        collective.wait = wait;
        const std::string_view group = graph.group_name(start);
        if (group.empty()) {
            refuse_member(graph, start,
                          "its process group is not given by name (graphs compiled on one rank give a node instead), "
                          "and scheduling such collectives is not reproduced");
        }
        collective.group = number_of(table.groups, group);
        latencies.resize(table.groups.size(), -1);
        const bool can_be_bucketed = bucketable_kind(graph, start) != CollectiveKind::none;
        const BucketKey key = can_be_bucketed ? bucket_key(graph, start, multidtype) : BucketKey();
        collective.bucket_key = number_of(keys, key);
        if (!can_be_bucketed) {
            table.unbucketed_key = collective.bucket_key;
        } else {
            // torch compares these keys without the kind: a reduce-scatter's equals an all-reduce's.
            BucketKey without_kind = key;
            if (key.kind == CollectiveKind::all_reduce) without_kind.kind = CollectiveKind::reduce_scatter;
            collective.latency_key = number_of(latency_keys, without_kind);
            double& latency = latencies[collective.group];
            if (latency < 0) latency = latency_of(graph, start, group);
            collective.latency_ms = latency;
        }
        collective.size_bytes = footprint_bytes(graph, sizes, start);
        collective.estimated_ms = collective.exposed_ms = times_ms[start];
        table.collectives.push_back(std::move(collective));
    }
    table.bucket_key_count = static_cast<Index>(keys.size());
    return table;
}

}  // namespace overlap::scheduling
