#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/job/links/collective_flows.h"
#include "core/job/links/link_network.h"
#include "core/job/step/step_graph.h"

namespace overlap::job {

/// What of a step moves over links that others use at the same time: messages and collectives with bytes, in place of a
/// time of their own. Rates are max-min fair at every moment.
struct StepFlows {
    struct Message {
        std::uint32_t dependency = 0;  ///< of the graph: issued when this has arrived
        std::uint32_t load = 0;        ///< index of `loads`
    };
    struct Collective {
        NodeIndex member = 0;  ///< the first; all members of its rendezvous end with the last flow
        std::uint32_t load = 0;
    };
    std::vector<std::vector<FlowPhase>> loads;  ///< of messages and collectives: many have the same
    std::vector<Message> messages;              ///< in the order of their dependencies
    std::vector<Collective> collectives;        ///< in the order of their members
    bool empty() const { return messages.empty() && collectives.empty(); }
};

/// What communication takes in one run of a step, so that the step's times follow from it as from given ones.
struct FlowTimes {
    std::vector<double> ms;        ///< of each node: as given, of a collective from the last arrival to its end
    std::vector<double> delay_ms;  ///< of each dependency: as given, of a message until it has arrived
    double bytes = 0;              ///< that have moved
};

/// Runs the step with its flows, event by event. Nodes that can never run, and what waits for them, keep their times.
/// @param ms, delay_ms of nodes and dependencies that have no flow. @param message_factor, collective_factor what
/// multiplies bytes, by position in `flows`; empty: 1.
FlowTimes run_flows(const StepGraph& graph, const LinkNetwork& network, const StepFlows& flows,
                    std::span<const double> ms, std::span<const double> delay_ms,
                    std::span<const double> message_factor = {}, std::span<const double> collective_factor = {});

}  // namespace overlap::job
