#include "core/run/run_checks.h"

#include <string>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/run/collective_support.h"

namespace overlap {

namespace {

std::string place_of(const Graph& graph, NodeId node) {
    return "node " + in_quotes(graph.name(node));
}

/// The quoted symbol of a size without a number anywhere in `value`; empty where there is none.
std::string unknown_size(const Graph& graph, const Value& value) {
    if (value.is(ValueKind::symbol)) {
        const std::span<const Value> parts = graph.children(value);
        return parts.size() == 2 && parts[1].is(ValueKind::none) ? in_quotes(graph.text(parts[0].string)) : "";
    }
    // A symbol without a hint is kept as the file has it.
    if (value.is(ValueKind::raw_json)) return std::string(json_member(graph.text(value.string), "symbol"));
    if (!value.has_children()) return {};
    for (const Value& child : graph.children(value)) {
        if (std::string found = unknown_size(graph, child); !found.empty()) return found;
    }
    return {};
}

void check_sizes(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        std::string unknown = unknown_size(graph, graph.record(node).args);
        if (unknown.empty()) unknown = unknown_size(graph, graph.record(node).kwargs);
        if (unknown.empty()) continue;
        throw InputError(place_of(graph, node),
                         "the size " + unknown + " has no hint; a run needs a number for every size");
    }
}

}  // namespace

void check_runnable(const Graph& graph, const MemoryPlan& memory, const DevicePlan& device,
                    std::int64_t device_memory_bytes) {
    check_sizes(graph);
    if (device_memory_bytes <= 0) return;
    if (memory.largest_bytes > device_memory_bytes) {
        throw InputError(place_of(graph, memory.largest_node), "it needs " + bytes_text(memory.largest_bytes) +
                                                                   " in one piece, the device has " +
                                                                   bytes_text(device_memory_bytes));
    }
    if (memory.pool_bytes + device.bytes_beside_pool() > device_memory_bytes) {
        throw InputError(
            memory.live_peak_node == no_node ? std::string("step") : place_of(graph, memory.live_peak_node),
            "the step holds " + bytes_text(memory.live_peak_bytes) + " there and needs a pool of " +
                bytes_text(memory.pool_bytes) + " and " + bytes_text(device.bytes_beside_pool()) +
                " beside it, the device has " + bytes_text(device_memory_bytes));
    }
}

void check_collectives(const Graph& graph, const Program& program, const std::vector<GroupPlacement>& placements) {
    for (const CollectiveWork& work : program.collectives) {
        if (!placements[work.group].real) continue;
        if (const std::string obstacle = nccl_obstacle(work); !obstacle.empty()) {
            throw InputError(place_of(graph, work.node), obstacle);
        }
    }
}

}  // namespace overlap
