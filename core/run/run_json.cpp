#include <algorithm>
#include <unordered_map>

#include "core/base/statistics.h"
#include "core/files/json_writer.h"
#include "core/run/run.h"

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

void write_memory(JsonWriter& json, const Graph& graph, const MemoryPlan& memory, const RunRecord& record) {
    json.key("memory").begin_object();
    json.member("pool_bytes", memory.pool_bytes);
    json.member("scratch_bytes", record.bytes_beside_pool);
    json.member("live_peak_bytes", memory.live_peak_bytes);
    json.key("live_peak_node");
    if (memory.live_peak_node == no_node) {
        json.null();
    } else {
        json.value(graph.name(memory.live_peak_node));
    }
    json.member("buffers", static_cast<std::int64_t>(memory.buffers.size()));
    json.member("largest_bytes", memory.largest_bytes);
    json.member("host_bytes", record.host_bytes);
    json.end_object();
}

/// Begins an object `step_ms`, which the caller ends.
void begin_steps(JsonWriter& json, const std::vector<double>& step_ms) {
    json.key("step_ms").begin_object();
    json.member("median", median(step_ms));
    json.member("minimum", *std::min_element(step_ms.begin(), step_ms.end()));
    json.member("maximum", *std::max_element(step_ms.begin(), step_ms.end()));
}

void write_steps(JsonWriter& json, const std::vector<double>& step_ms) {
    begin_steps(json, step_ms);
    json.key("all").begin_array();
    for (const double step : step_ms) json.value(step);
    json.end_array();
    json.end_object();
}

void write_ranks(JsonWriter& json, const RunRecord& record) {
    json.key("ranks").begin_array();
    for (std::size_t rank = 0; rank < record.machines.size(); ++rank) {
        json.begin_object();
        json.member("rank", static_cast<std::int64_t>(rank));
        json.member("machine", std::string_view(record.machines[rank]));
        if (rank < record.ranks.size() && !record.ranks[rank].step_ms.empty()) {
            begin_steps(json, record.ranks[rank].step_ms);
            json.end_object();
            if (!record.ranks[rank].exposed_ms.empty())
                json.member("exposed_ms", median(record.ranks[rank].exposed_ms));
        }
        json.end_object();
    }
    json.end_array();
}

void write_work(JsonWriter& json, const DeviceWorkTotals& work) {
    json.key("work").begin_object();
    json.member("own_products", work.own_products);
    json.member("scaled_products", work.scaled_products);
    json.member("expert_products", work.expert_products);
    json.member("attentions", work.attentions);
    json.member("stand_in_products", work.stand_in_products);
    json.member("moved_bytes", work.moved_bytes);
    json.member("fused_kernels", work.fused_kernels);
    json.member("fused_nodes", work.fused_nodes);
    json.member("inlined_nodes", work.inlined_nodes);
    json.end_object();
}

void write_surroundings(JsonWriter& json, const RunRecord& record) {
    json.key("environment").begin_object();
    for (const auto& [name, value] : record.environment) json.member(name, std::string_view(value));
    json.end_object();
    json.key("notes").begin_array();
    for (const std::string& note : record.notes) json.value(std::string_view(note));
    json.end_array();
}

void write_times(JsonWriter& json, double median_ms, double minimum_ms, double maximum_ms) {
    json.member("median_ms", median_ms).member("minimum_ms", minimum_ms).member("maximum_ms", maximum_ms);
}

/// Writes the measured nodes of one run.
class NodeWriter {
  public:
    NodeWriter(const Graph& graph, const Program& program, const RunRecord& record)
        : graph_(graph), program_(program), record_(record) {
        for (const ComputeWork& work : program.compute) {
            compute_.emplace(work.node, &work);
            if (!work.is_fused()) continue;
            for (const NodeId member : work.kernel->members) compute_.emplace(member, &work);
        }
        for (const CollectiveWork& work : program.collectives) collectives_.emplace(work.node, &work);
        for (const TransferWork& work : program.transfers) transfers_.emplace(work.node, &work);
        for (const AlignedCollective& aligned : record.aligned) {
            aligned_.emplace(program.collectives[aligned.collective].node, &aligned);
        }
        for (const RankMeasurement& rank : record.ranks) ranks_.emplace_back(rank.node_ms.begin(), rank.node_ms.end());
    }

    void write(JsonWriter& json) const {
        json.key("nodes").begin_array();
        for (const NodeMeasurement& measurement : record_.nodes) {
            json.begin_object();
            json.member("name", graph_.name(measurement.node));
            if (const auto compute = compute_.find(measurement.node); compute != compute_.end()) {
                const ComputeWork& work = *compute->second;
                json.member("kind", compute_class_name(work.compute_class));
                if (work.is_fused()) json.member("kernel", graph_.name(work.node));
            }
            const auto aligned = aligned_.find(measurement.node);
            if (aligned == aligned_.end()) {
                write_times(json, measurement.median_ms, measurement.minimum_ms, measurement.maximum_ms);
            } else {
                const AlignedCollective& own = *aligned->second;
                write_times(json, own.own_ms, own.own_minimum_ms, own.own_maximum_ms);
                json.member("late_peers_ms", own.late_peers_ms);
            }
            if (ranks_.size() > 1) write_ranks_of(json, measurement.node);
            if (const auto collective = collectives_.find(measurement.node); collective != collectives_.end()) {
                write_collective(json, *collective->second);
                json.member("exposed_ms", measurement.exposed_ms);
            }
            if (const auto transfer = transfers_.find(measurement.node); transfer != transfers_.end()) {
                json.member("kind", transfer->second->to_host ? "copy_to_host" : "copy_from_host");
                json.member("bytes", transfer->second->bytes).member("exposed_ms", measurement.exposed_ms);
            }
            json.end_object();
        }
        json.end_array();
    }

  private:
    /// As each rank has recorded it; of a collective with the wait for ranks that came later.
    void write_ranks_of(JsonWriter& json, NodeId node) const {
        json.key("ranks_ms").begin_array();
        for (const std::unordered_map<NodeId, double>& rank : ranks_) {
            if (const auto time = rank.find(node); time != rank.end()) {
                json.value(time->second);
            } else {
                json.null();
            }
        }
        json.end_array();
    }

    void write_collective(JsonWriter& json, const CollectiveWork& work) const {
        json.member("kind", collective_kind_name(work.kind));
        json.member("process_group", std::string_view(program_.groups[work.group].name));
        json.member("bytes", work.bytes);
        const bool emulated = !record_.groups[work.group].real;
        if (emulated && work.node < record_.modelled_ms.size()) {
            json.member("modelled_ms", record_.modelled_ms[work.node]);
        }
    }

    const Graph& graph_;
    const Program& program_;
    const RunRecord& record_;
    std::unordered_map<NodeId, const ComputeWork*> compute_;
    std::unordered_map<NodeId, const CollectiveWork*> collectives_;
    std::unordered_map<NodeId, const TransferWork*> transfers_;
    std::unordered_map<NodeId, const AlignedCollective*> aligned_;
    std::vector<std::unordered_map<NodeId, double>> ranks_;  ///< medians of each rank
};

/// Nothing where nothing was recorded: an exposed time of 0 would be taken for measured.
void write_recorded(JsonWriter& json, const RunRecord& record) {
    if (record.recorded_steps == 0) return;
    json.key("recorded").begin_object();
    json.member("steps", std::int64_t{record.recorded_steps});
    json.member("median_step_ms", record.recorded_step_ms);
    json.member("exposed_ms", record.recorded_exposed_ms);
    json.member("transfer_exposed_ms", record.recorded_transfer_exposed_ms);
    json.member("activities_without_node", static_cast<std::int64_t>(record.activities_without_node));
    json.end_object();
}

void write_measurements(JsonWriter& json, const Graph& graph, const Program& program, const RunRecord& record) {
    if (!record.step_ms.empty()) write_steps(json, record.step_ms);
    json.member("device", std::string_view(record.device));
    json.key("libraries").begin_object();
    for (const auto& [library, version] : record.libraries) {
        json.member(library, std::string_view(version));
    }
    json.end_object();
    json.member("peak_memory_bytes", record.peak_memory_bytes);
    write_recorded(json, record);
    NodeWriter(graph, program, record).write(json);
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
    write_ranks(json, record);
    write_groups(json, program, record);
    json.key("commands").begin_object();
    json.member("compute", static_cast<std::int64_t>(program.compute.size()));
    json.member("collective", static_cast<std::int64_t>(program.collectives.size()));
    json.member("transfer", static_cast<std::int64_t>(program.transfers.size()));
    json.member("all", static_cast<std::int64_t>(program.commands.size()));
    json.end_object();
    json.member("compiled", compiled_scope_name(record.compiled));
    write_work(json, record.work);
    write_memory(json, graph, memory, record);
    json.member("order_digest", std::string_view(record.order_digest));
    json.key("predicted").begin_object();
    json.member("step_ms", record.predicted_step_ms).member("exposed_ms", record.predicted_exposed_ms);
    json.member("transfer_exposed_ms", record.predicted_transfer_exposed_ms);
    json.member("as_traced", record.predicted_as_traced);
    json.end_object();
    json.member("warm_up", std::int64_t{record.options.warm_up});
    json.member("iterations", std::int64_t{record.options.iterations});
    write_surroundings(json, record);
    if (!record.dry) write_measurements(json, graph, program, record);
    json.end_object();
    return json.take();
}

}  // namespace overlap
