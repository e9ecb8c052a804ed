#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Why the compute stream waited for a collective. The rule, in this order, with `duration` the collective's own time,
/// `window_ms` the time from when it could have started at its place (issued, and the compute stream done with what was
/// issued before) to its wait, and `earliest_ms` when its input could be ready:
///
/// 1. not exposed (less than a nanosecond): `none`;
/// 2. its stream was held at least half as long as it is exposed: `group_busy`;
/// 3. the window is a tenth of the duration or more: `window_too_short`;
/// 4. compute of a tenth of the duration or more was issued before it from `earliest_ms` on: `order_of_issue`;
/// 5. else `producer_late`.
enum class ExposureCause : std::uint8_t {
    none,           ///< it is not exposed
    producer_late,  ///< its input was computed too shortly before the wait: there was hardly any compute to hide behind
    window_too_short,  ///< the compute between start and wait is shorter than the collective
    group_busy,        ///< another collective of its process group held the stream when it could have started
    order_of_issue,    ///< it was issued right before its wait although its input was ready earlier
};

/// Stable short name, such as `window_too_short`.
std::string_view exposure_cause_name(ExposureCause cause);

struct SimulationOptions {
    double launch_us = 0;  ///< host time for each node that is called; placeholders, get_attr and output cost none
};

struct NodeTiming {
    double start_ms = 0;
    double end_ms = 0;
};

/// One collective on its group's stream.
struct CollectiveTiming {
    NodeId start = no_node;  ///< the node that launches it
    NodeId wait = no_node;   ///< its first wait, or no_node
    CollectiveKind kind = CollectiveKind::none;
    std::uint32_t group = 0;  ///< index of Simulation::groups
    std::int64_t bytes = 0;   ///< larger of input and output
    double issue_ms = 0;      ///< when the host issued it
    double ready_ms = 0;      ///< when the compute stream had finished what was issued before it
    double start_ms = 0;
    double end_ms = 0;
    double exposed_ms = 0;  ///< compute stream standing still at its waits
    ExposureCause cause = ExposureCause::none;
    /// The node that explains the cause: producer_late, the producer of the input (no_node when that is the graph's
    /// own inputs); group_busy, the collective that held the stream; window_too_short and order_of_issue,
    /// `start_before`.
    NodeId blocker = no_node;

    // Only of exposed collectives:
    double window_ms = 0;       ///< from when it could have started at its place to its wait
    NodeId producer = no_node;  ///< the last to finish of what its input needs, beyond its own preparation
    double earliest_ms = 0;     ///< when its input could be ready: after `producer`, with its own preparation
    /// The last node before which it would have to be issued to be hidden; where that is too early for its producer,
    /// the first node after the producer. no_node when it already is as early as can be.
    NodeId start_before = no_node;
    double hidden_if_earlier_ms = 0;  ///< how much less would be exposed were it issued before `start_before`
};

/// One copy between device and host, on the stream of such copies.
struct TransferTiming {
    NodeId start = no_node;
    NodeId wait = no_node;  ///< its first wait, or no_node
    bool to_host = false;
    std::int64_t bytes = 0;
    double start_ms = 0;
    double end_ms = 0;
    double exposed_ms = 0;  ///< compute stream standing still at its wait
};

struct GroupTiming {
    std::string process_group;
    double comm_ms = 0;
    double exposed_ms = 0;
    std::uint32_t collectives = 0;
};

/// What the stream model of docs/formats.md says of a graph. Deterministic.
struct Simulation {
    double step_ms = 0;
    double compute_ms = 0;                      ///< busy time of the compute stream
    double exposed_ms = 0;                      ///< compute stream standing still for collectives
    double transfer_exposed_ms = 0;             ///< compute stream standing still for copies to and from the host
    std::vector<NodeTiming> nodes;              ///< of each node: on the stream that it runs on
    std::vector<CollectiveTiming> collectives;  ///< in order of issue
    std::vector<GroupTiming> groups;            ///< in order of first use
    std::vector<TransferTiming> transfers;      ///< in order of issue; one stream runs them one after the other
    /// Index into `collectives` for a node that starts one, else -1.
    std::vector<std::int32_t> collective_of_node;
    /// Index into `transfers` for a node that starts one, else -1; empty where there are none.
    std::vector<std::int32_t> transfer_of_node;

    /// Whether a node runs on the compute stream, where waits are too.
    bool on_compute(NodeId node) const {
        return collective_of_node[node] < 0 && (transfer_of_node.empty() || transfer_of_node[node] < 0);
    }

    /// One sentence without full stop on why collective `index` is exposed and what would help; empty if it is hidden.
    std::string explain(const Graph& graph, std::size_t index) const;
};

/// Runs the stream model. A wait that awaits no collective of the graph counts as any other node; the time of one that
/// does is that of its collective alone. control_deps count as what they wrap (core/cost/control_deps.h).
/// @param times_ms time of each node, see node_times_ms().
/// @param stop when it is requested, what has been simulated so far comes back, to be dropped by the caller.
Simulation simulate(const Graph& graph, std::span<const double> times_ms, const SimulationOptions& options = {},
                    std::stop_token stop = {});

}  // namespace overlap
