#include "app/commands/simulation_trace.h"

#include <nlohmann/json.hpp>

namespace overlap::commands {

namespace {

using Json = nlohmann::ordered_json;

constexpr int compute_thread = 0;
constexpr double us_per_ms = 1000;

/// Collects events; every event is on the one process of the trace.
class EventList {
  public:
    explicit EventList(std::int64_t process) : process_(process) {}

    void name_process(const std::string& name) { add("M", "process_name", compute_thread)["args"]["name"] = name; }

    void name_thread(int thread, const std::string& name) {
        add("M", "thread_name", thread)["args"]["name"] = name;
        add("M", "thread_sort_index", thread)["args"]["sort_index"] = thread;
    }

    Json& slice(std::string_view name, int thread, double start_ms, double end_ms) {
        Json& event = add("X", name, thread);
        event["ts"] = start_ms * us_per_ms;
        event["dur"] = (end_ms - start_ms) * us_per_ms;
        return event;
    }

    void flow(std::size_t id, int from_thread, double from_ms, int to_thread, double to_ms) {
        for (const bool begins : {true, false}) {
            Json& event = add(begins ? "s" : "f", "awaited by", begins ? from_thread : to_thread);
            event["cat"] = "wait";
            event["id"] = id;
            event["ts"] = (begins ? from_ms : to_ms) * us_per_ms;
            if (!begins) event["bp"] = "e";
        }
    }

    void counter(std::string_view name, double at_ms, std::int64_t bytes) {
        Json& event = add("C", name, compute_thread);
        event["ts"] = at_ms * us_per_ms;
        event["args"]["bytes"] = bytes;
    }

    Json take() { return std::move(events_); }

  private:
    Json& add(std::string_view phase, std::string_view name, int thread) {
        events_.push_back({{"ph", phase}, {"name", name}, {"pid", process_}, {"tid", thread}});
        return events_.back();
    }

    std::int64_t process_;
    Json events_ = Json::array();
};

int group_thread(const CollectiveTiming& collective) {
    return static_cast<int>(collective.group) + 1;
}

void add_collectives(EventList& events, const Graph& graph, const Simulation& simulation) {
    for (std::size_t index = 0; index < simulation.collectives.size(); ++index) {
        const CollectiveTiming& collective = simulation.collectives[index];
        const int thread = group_thread(collective);
        Json& event = events.slice(graph.name(collective.start), thread, collective.start_ms, collective.end_ms);
        event["cat"] = collective_kind_name(collective.kind);
        event["args"] = {{"bytes", collective.bytes},
                         {"exposed_ms", collective.exposed_ms},
                         {"cause", exposure_cause_name(collective.cause)}};
        if (collective.wait == no_node) continue;
        const NodeTiming& wait = simulation.nodes[collective.wait];
        events.flow(index, thread, collective.start_ms, compute_thread, wait.start_ms);
    }
}

void add_compute(EventList& events, const Graph& graph, const Simulation& simulation, const MemoryProfile& memory) {
    std::int64_t held = -1;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NodeTiming& timing = simulation.nodes[node];
        const bool collective = simulation.collective_of_node[node] >= 0;
        if (!collective && timing.end_ms > timing.start_ms) {
            Json& event = events.slice(graph.name(node), compute_thread, timing.start_ms, timing.end_ms);
            event["cat"] = graph.target_info(node).is_wait ? "exposed" : "compute";
            event["args"]["target"] = graph.target(node);
        }
        if (!collective && memory.while_node[node] != held) {
            held = memory.while_node[node];
            events.counter("memory", timing.start_ms, held);
        }
    }
}

}  // namespace

std::string simulation_trace(const Graph& graph, const Simulation& simulation, const MemoryProfile& memory) {
    EventList events(graph.header().rank.value_or(0));
    events.name_process(graph.header().name + " (simulated)");
    events.name_thread(compute_thread, "compute");
    for (std::size_t group = 0; group < simulation.groups.size(); ++group) {
        events.name_thread(static_cast<int>(group) + 1, "process group " + simulation.groups[group].process_group);
    }
    add_compute(events, graph, simulation, memory);
    add_collectives(events, graph, simulation);
    const Json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", events.take()}};
    return trace.dump() + '\n';
}

}  // namespace overlap::commands
