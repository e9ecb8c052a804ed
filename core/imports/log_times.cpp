#include "core/imports/log_times.h"

#include <simdjson.h>

#include <cmath>

#include "core/graph/editing/graph_editor.h"

namespace overlap {
namespace {

constexpr double nanoseconds_per_millisecond = 1e6;
constexpr double longest_milliseconds = 1e12;

/// `torch.ops._c10d_functional.all_reduce_.default` and `_c10d_functional.all_reduce.default` are one collective.
std::string collective_name(std::string_view name) {
    constexpr std::string_view operators = "torch.ops.";
    if (name.starts_with(operators)) name.remove_prefix(operators.size());
    std::string_view base = name.substr(0, name.rfind('.'));
    while (base.ends_with('_')) base.remove_suffix(1);
    return std::string(base);
}

/// Collectives of the graph by place, where they are the log's one for one.
std::vector<NodeId> matching_collectives(const Graph& graph, const std::vector<LoggedTime>& times) {
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) == NodeOp::call_function && graph.target_info(node).starts != CollectiveKind::none) {
            nodes.push_back(node);
        }
    }
    std::size_t place = 0;
    for (const LoggedTime& time : times) {
        if (!time.is_collective) continue;
        if (place == nodes.size() || collective_name(graph.target(nodes[place])) != collective_name(time.name))
            return {};
        ++place;
    }
    if (place != nodes.size()) return {};
    return nodes;
}

}  // namespace

std::vector<LoggedTime> parse_logged_times(std::string_view json) {
    simdjson::dom::parser parser;
    simdjson::dom::array operations;
    std::vector<LoggedTime> times;
    const simdjson::padded_string padded(json);
    if (parser.parse(padded)["ops"].get(operations) != simdjson::SUCCESS) return times;
    for (const simdjson::dom::element operation : operations) {
        LoggedTime time;
        std::string_view name, type;
        double nanoseconds = 0;
        if (operation["name"].get(name) != simdjson::SUCCESS || operation["type"].get(type) != simdjson::SUCCESS ||
            operation["estimated_runtime_ns"].get(nanoseconds) != simdjson::SUCCESS) {
            continue;
        }
        time.name = name;
        time.is_collective = type == "collective";
        time.milliseconds = nanoseconds / nanoseconds_per_millisecond;
        if (time.milliseconds >= 0 && time.milliseconds < longest_milliseconds) times.push_back(std::move(time));
    }
    return times;
}

void add_logged_times(ImportedGraph& imported, const std::vector<LoggedTime>& times) {
    const std::vector<NodeId> collectives = matching_collectives(*imported.graph, times);
    GraphEditor editor(imported.graph);
    std::size_t taken = 0;
    std::size_t collective = 0;
    for (const LoggedTime& time : times) {
        NodeId node = imported.graph->find(time.name);
        if (time.is_collective && node == no_node && !collectives.empty()) node = collectives[collective++];
        if (node == no_node) continue;
        editor.set_estimate(node, time.milliseconds);
        ++taken;
    }
    if (taken > 0) {
        std::vector<NodeId> origin;
        imported.graph = editor.finish(origin);
    }
    std::string note = "Inductor logged ";
    note += std::to_string(times.size());
    note += " times, of which ";
    note += std::to_string(taken);
    note += " name nodes of this graph and were taken; the others are of fused kernels";
    imported.notes.push_back({std::move(note)});
}

}  // namespace overlap
