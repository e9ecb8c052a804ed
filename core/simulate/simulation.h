#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Why the compute stream stood still for a collective.
enum class ExposureCause : std::uint8_t {
    none,              ///< it is not exposed
    producer_late,     ///< its input was computed too shortly before the wait: there was hardly any compute to hide behind
    window_too_short,  ///< the compute between start and wait is shorter than the collective
    group_busy,        ///< another collective of its process group held the stream when it could have started
    order_of_issue,    ///< it was issued right before its wait although its input was ready earlier
};

/// Stable short name, such as `window_too_short`.
std::string_view exposure_cause_name(ExposureCause cause);

struct SimulationOptions {
    double launch_us = 0;  ///< host time for each node
};

struct NodeTiming {
    double start_ms = 0;
    double end_ms = 0;
};

/// One collective on its group's stream.
struct CollectiveTiming {
    NodeId start = no_node;       ///< the node that launches it
    NodeId wait = no_node;        ///< its first wait, or no_node
    CollectiveKind kind = CollectiveKind::none;
    std::uint32_t group = 0;      ///< index of Simulation::groups
    std::int64_t bytes = 0;       ///< larger of input and output
    double issue_ms = 0;          ///< when the host issued it
    double ready_ms = 0;          ///< when the compute stream had finished what was issued before it
    double start_ms = 0;
    double end_ms = 0;
    double exposed_ms = 0;        ///< compute stream standing still at its waits
    ExposureCause cause = ExposureCause::none;
    NodeId blocker = no_node;     ///< the node that explains the cause: late producer, collective that held the stream, ...
};

struct GroupTiming {
    std::string process_group;
    double comm_ms = 0;
    double exposed_ms = 0;
    std::uint32_t collectives = 0;
};

/// What the stream model of design/formats.md says of a graph. Deterministic.
struct Simulation {
    double step_ms = 0;
    double compute_ms = 0;  ///< busy time of the compute stream
    double exposed_ms = 0;
    std::vector<NodeTiming> nodes;  ///< of each node: on the compute stream, or on its group's stream for collectives
    std::vector<CollectiveTiming> collectives;  ///< in order of issue
    std::vector<GroupTiming> groups;            ///< in order of first use
    /// Index into `collectives` for a node that starts one, else -1.
    std::vector<std::int32_t> collective_of_node;

    /// One sentence without full stop on why collective `index` is exposed and what would help; empty if it is hidden.
    std::string explain(const Graph& graph, std::size_t index) const;
};

/// @param times_ms time of each node, see node_times_ms().
Simulation simulate(const Graph& graph, std::span<const double> times_ms, const SimulationOptions& options = {},
                    std::stop_token stop = {});

}  // namespace overlap
