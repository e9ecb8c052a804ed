#include "core/simulate/simulation_json.h"

#include "core/files/json_writer.h"
#include "core/files/problem_json.h"
#include "core/memory/device_memory.h"
#include "core/memory/memory_kinds.h"
#include "core/simulate/simulation_totals.h"

namespace overlap {

namespace {

void write_links(JsonWriter& json, std::span<const std::vector<std::string>> links) {
    json.key("shared_links").begin_array();
    for (const std::vector<std::string>& link : links) {
        json.begin_array();
        for (const std::string& group : link) json.value(std::string_view(group));
        json.end_array();
    }
    json.end_array();
}

void write_contention(JsonWriter& json, const AppliedContention* contention) {
    json.key("contention");
    if (!contention) {
        json.null();
        return;
    }
    json.begin_object().key("compute_slowdown").begin_object();
    for (const ComputeClass computing : computing_classes)
        json.member(compute_class_name(computing), contention->factors.slowdown_of(computing));
    json.end_object().member("communication_slowdown", contention->factors.communication_slowdown);
    write_links(json, contention->factors.shared_links);
    json.end_object();
}

void write_device_memory(JsonWriter& json, const Graph& graph, const MemoryProfile& memory) {
    json.key("device_memory_bytes");
    const std::int64_t held = device_memory_bytes(graph);
    held > 0 ? json.value(held) : json.null();
    const std::optional<Problem> problem = memory_problem(graph, memory);
    json.key("problems");
    write_problems(json, problem ? std::span(&*problem, 1) : std::span<const Problem>());
}

void write_kinds(JsonWriter& json, const BytesByKind& bytes) {
    json.key("by_kind").begin_object();
    for (std::size_t kind = 0; kind < memory_kind_count; ++kind)
        json.member(memory_kind_name(static_cast<MemoryKind>(kind)), bytes[kind]);
    json.end_object();
}

void write_peak(JsonWriter& json, const Graph& graph, const MemoryProfile& memory) {
    const HeldMemory held = held_memory(graph, peak_point(memory));
    json.key("peak").begin_object();
    json.key("node");
    memory.peak_node == no_node ? json.null() : json.value(graph.name(memory.peak_node));
    write_kinds(json, held.by_kind);
    json.key("modules").begin_array();
    for (const HeldMemory::OfModule& module : held.modules) {
        json.begin_object().member("module", std::string_view(module.module)).member("bytes", module.bytes);
        write_kinds(json, module.by_kind);
        json.end_object();
    }
    json.end_array().end_object();
}

void write_transfers(JsonWriter& json, const Graph& graph, const Simulation& simulation) {
    json.key("transfers").begin_array();
    for (const TransferTiming& transfer : simulation.transfers) {
        json.begin_object().member("name", graph.name(transfer.start));
        json.key("wait");
        transfer.wait == no_node ? json.null() : json.value(graph.name(transfer.wait));
        json.member("to_host", transfer.to_host).member("bytes", transfer.bytes);
        json.member("start_ms", transfer.start_ms).member("end_ms", transfer.end_ms);
        json.member("exposed_ms", transfer.exposed_ms).end_object();
    }
    json.end_array();
}

}  // namespace

std::string simulation_json(const Graph& graph, const Simulation& simulation, const MemoryProfile& memory,
                            const SimulationContext& context) {
    JsonWriter json;
    json.begin_object();
    json.member("step_ms", simulation.step_ms);
    json.member("compute_ms", simulation.compute_ms);
    json.member("exposed_ms", simulation.exposed_ms);
    json.member("transfer_exposed_ms", simulation.transfer_exposed_ms);
    json.member("idle_ms", idle_ms(simulation));
    json.member("peak_memory_bytes", memory.peak_bytes);
    json.member("torch_peak_memory_bytes", memory_profile(graph, StorageRule::reference).peak_bytes);
    write_peak(json, graph, memory);
    write_device_memory(json, graph, memory);

    json.key("cost_model");
    const std::optional<CostParameters>& cost = graph.header().cost;
    cost && !cost->model_name.empty() ? json.value(std::string_view(cost->model_name)) : json.null();
    write_contention(json, context.contention);
    json.key("beside_ms");
    if (context.beside_ms) {
        json.value(*context.beside_ms);
    } else {
        json.null();
    }
    json.key("accumulated");
    if (context.accumulated) {
        json.begin_object();
        json.member("microbatches", context.accumulated->microbatches);
        json.member("ms", context.accumulated->ms);
        json.end_object();
    } else {
        json.null();
    }

    write_links(json, context.shared_links);

    json.key("groups").begin_array();
    for (const GroupTiming& group : simulation.groups) {
        json.begin_object();
        json.member("process_group", std::string_view(group.process_group));
        json.member("comm_ms", group.comm_ms);
        json.member("exposed_ms", group.exposed_ms);
        json.member("collectives", std::int64_t{group.collectives});
        json.end_object();
    }
    json.end_array();

    const auto node_member = [&](std::string_view name, NodeId node) {
        json.key(name);
        node == no_node ? json.null() : json.value(graph.name(node));
    };
    json.key("collectives").begin_array();
    for (std::size_t index = 0; index < simulation.collectives.size(); ++index) {
        const CollectiveTiming& collective = simulation.collectives[index];
        json.begin_object();
        json.member("name", graph.name(collective.start));
        node_member("wait", collective.wait);
        json.member("kind", collective_kind_name(collective.kind));
        json.member("process_group", std::string_view(simulation.groups[collective.group].process_group));
        json.member("bytes", collective.bytes);
        json.member("start_ms", collective.start_ms);
        json.member("end_ms", collective.end_ms);
        json.member("exposed_ms", collective.exposed_ms);
        json.member("cause", exposure_cause_name(collective.cause));
        node_member("blocker", collective.blocker);
        if (collective.cause != ExposureCause::none) {
            json.member("could_hide_ms", could_hide_ms(graph, simulation, index, context.order));
            json.member("explanation", std::string_view(explain_exposure(simulation, graph, index, context.order)));
        }
        json.end_object();
    }
    json.end_array();
    write_transfers(json, graph, simulation);
    json.end_object();
    return json.take();
}

}  // namespace overlap
