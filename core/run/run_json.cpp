#include <algorithm>
#include <numeric>

#include "core/run/run.h"
#include "core/simulate/json_writer.h"

namespace overlap {

namespace {

void write_settings(JsonWriter& json, const GroupSettings& settings) {
    json.key("settings").begin_object();
    json.member("stream_priority", settings.high_priority.value_or(false) ? "high" : "normal");
    for (const GroupNumber& number : group_numbers()) {
        if (const std::optional<int> value = settings.*number.value) json.member(number.name, std::int64_t{*value});
    }
    json.end_object();
}

void write_groups(JsonWriter& json, const Program& program, const RunRecord& record) {
    const std::vector<GroupTotals> totals = totals_of(program);
    json.key("groups").begin_array();
    for (std::size_t index = 0; index < program.groups.size(); ++index) {
        const GroupPlacement& placement = record.groups[index];
        json.begin_object();
        json.member("process_group", std::string_view(program.groups[index].name));
        json.member("size", static_cast<std::int64_t>(program.groups[index].ranks.size()));
        json.member("runs", placement.real ? "nccl" : "emulated");
        json.key("on_ranks").begin_array();
        for (const int member : placement.members) json.value(std::int64_t{member});
        json.end_array();
        json.member("because", std::string_view(placement.reason));
        json.member("collectives", totals[index].collectives);
        json.member("bytes", totals[index].bytes);
        write_settings(json, placement.settings);
        json.end_object();
    }
    json.end_array();
}

void write_memory(JsonWriter& json, const Graph& graph, const MemoryPlan& memory) {
    json.key("memory").begin_object();
    json.member("pool_bytes", memory.pool_bytes);
    json.member("live_peak_bytes", memory.live_peak_bytes);
    json.key("live_peak_node");
    if (memory.live_peak_node == no_node) {
        json.null();
    } else {
        json.value(graph.name(memory.live_peak_node));
    }
    json.member("buffers", static_cast<std::int64_t>(memory.buffers.size()));
    json.member("largest_bytes", memory.largest_bytes);
    json.end_object();
}

void write_steps(JsonWriter& json, const RunRecord& record) {
    json.key("step_ms").begin_object();
    json.member("median", median_of(record.step_ms));
    json.member("minimum", *std::min_element(record.step_ms.begin(), record.step_ms.end()));
    json.member("maximum", *std::max_element(record.step_ms.begin(), record.step_ms.end()));
    json.key("all").begin_array();
    for (const double step : record.step_ms) json.value(step);
    json.end_array();
    json.end_object();
}

void write_nodes(JsonWriter& json, const Graph& graph, const RunRecord& record) {
    json.key("nodes").begin_array();
    for (const NodeMeasurement& measurement : record.nodes) {
        json.begin_object();
        json.member("name", graph.name(measurement.node));
        json.member("median_ms", measurement.median_ms);
        json.member("minimum_ms", measurement.minimum_ms);
        json.member("maximum_ms", measurement.maximum_ms);
        json.end_object();
    }
    json.end_array();
}

void write_measurements(JsonWriter& json, const Graph& graph, const RunRecord& record) {
    if (!record.step_ms.empty()) write_steps(json, record);
    json.member("device", std::string_view(record.device));
    json.key("libraries").begin_object();
    for (const auto& [library, version] : record.libraries) {
        json.member(library, std::string_view(version));
    }
    json.end_object();
    json.member("peak_memory_bytes", record.peak_memory_bytes);
    json.key("recorded").begin_object();
    json.member("steps", std::int64_t{record.recorded_steps});
    json.member("median_step_ms", record.recorded_step_ms);
    json.member("exposed_ms", record.recorded_exposed_ms);
    json.member("activities_without_node", static_cast<std::int64_t>(record.activities_without_node));
    json.end_object();
    write_nodes(json, graph, record);
}

}  // namespace

std::string run_json(const Graph& graph, const Program& program, const MemoryPlan& memory, const RunRecord& record) {
    JsonWriter json;
    json.begin_object();
    json.member("format", "overlap-run").member("version", std::int64_t{1});
    json.member("mode", record.dry ? "dry_run" : "gpu");
    json.key("graph").begin_object();
    json.member("name", std::string_view(record.graph_name));
    json.member("nodes", std::int64_t{record.node_count});
    json.member("digest", std::string_view(record.graph_digest));
    json.end_object();
    json.key("ranks").begin_array();
    for (std::size_t rank = 0; rank < record.machines.size(); ++rank) {
        json.begin_object();
        json.member("rank", static_cast<std::int64_t>(rank));
        json.member("machine", std::string_view(record.machines[rank]));
        json.end_object();
    }
    json.end_array();
    write_groups(json, program, record);
    json.key("commands").begin_object();
    json.member("compute", static_cast<std::int64_t>(program.compute.size()));
    json.member("collective", static_cast<std::int64_t>(program.collectives.size()));
    json.member("all", static_cast<std::int64_t>(program.commands.size()));
    json.end_object();
    write_memory(json, graph, memory);
    json.member("order_digest", std::string_view(record.order_digest));
    json.key("predicted").begin_object();
    json.member("step_ms", record.predicted_step_ms).member("exposed_ms", record.predicted_exposed_ms);
    json.end_object();
    json.member("warm_up", std::int64_t{record.options.warm_up});
    json.member("iterations", std::int64_t{record.options.iterations});
    if (!record.dry) write_measurements(json, graph, record);
    json.end_object();
    return json.take();
}

}  // namespace overlap
