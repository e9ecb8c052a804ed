#include "core/run/run_checks.h"

#include <string>

#include "core/graph/error.h"
#include "core/graph/number_text.h"
#include "core/graph/quote.h"

namespace overlap {

namespace {

std::string place_of(const Graph& graph, NodeId node) {
    return "node " + in_quotes(graph.name(node));
}

/// A symbol without a number anywhere in `value`, or nullptr.
const Value* unknown_size(const Graph& graph, const Value& value) {
    if (value.is(ValueKind::symbol)) {
        const std::span<const Value> parts = graph.children(value);
        return parts.size() == 2 && parts[1].is(ValueKind::none) ? &value : nullptr;
    }
    if (!value.has_children()) return nullptr;
    for (const Value& child : graph.children(value)) {
        if (const Value* found = unknown_size(graph, child)) return found;
    }
    return nullptr;
}

void check_sizes(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const Value* unknown = unknown_size(graph, graph.record(node).args);
        if (!unknown) unknown = unknown_size(graph, graph.record(node).kwargs);
        if (!unknown) continue;
        const Value& symbol = graph.children(*unknown)[0];
        throw InputError(place_of(graph, node), "the size " + in_quotes(graph.text(symbol.string)) +
                                                    " has no hint; a run needs a number for every size");
    }
}

}  // namespace

void check_runnable(const Graph& graph, const MemoryPlan& memory, std::int64_t device_memory_bytes) {
    check_sizes(graph);
    if (device_memory_bytes <= 0) return;
    if (memory.largest_bytes > device_memory_bytes) {
        throw InputError(place_of(graph, memory.largest_node), "it needs " + bytes_text(memory.largest_bytes) +
                                                                   " in one piece, the device has " +
                                                                   bytes_text(device_memory_bytes));
    }
    if (memory.pool_bytes > device_memory_bytes) {
        throw InputError(place_of(graph, memory.live_peak_node),
                         "the step holds " + bytes_text(memory.live_peak_bytes) + " there and needs a pool of " +
                             bytes_text(memory.pool_bytes) + ", the device has " + bytes_text(device_memory_bytes));
    }
}

}  // namespace overlap
