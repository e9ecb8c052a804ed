#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/memory/memory_profile.h"
#include "core/simulate/contention.h"
#include "core/simulate/simulation.h"

namespace overlap {

/// Which rank of a run a measured timeline is of.
struct TracedRank {
    std::int64_t rank = 0, ranks = 1;
    std::vector<ProcessGroup> groups;  ///< of the graph, with the ranks on which they ran
    /// Names of those that this rank ran by itself, without the others. Where it is not rank 0, the trace calls them
    /// its own: another rank's collectives of that name are no part of them.
    std::vector<std::string> alone;
    /// Of kernels that computed several nodes: these, by the node with which they were launched.
    std::map<NodeId, std::vector<NodeId>> kernels = {};
};

/// The simulation as a Chrome trace (the JSON object form of the Trace Event Format), which Perfetto and
/// chrome://tracing open. One process, called after the graph; thread 0 is the compute stream, thread 1 + g is group
/// g's stream. Times are in microseconds. Nodes that take no time are left out, except collectives. A wait that blocks
/// compute is an event `wait: NAME` on the compute stream, and an arrow leads to it from its collective, or from its
/// copy between device and host, which the last thread has. Collectives carry bytes, exposed time, cause, blocker and
/// explanation; `memory` adds a counter track of the bytes held.
/// Categories and the args of collectives are those of PyTorch's profiler for a GPU that did the same, so that the
/// trace can be opened as a measurement, here and by tools for such traces.
/// @param contention what the simulation was slowed by; may be null. A counter track for each group then shows the
/// share of its full rate at which data moves.
/// @param measured where it was measured, by which rank; may be null. Kernels then say which operator on which sizes
/// they are, those of several nodes which, and collectives the dtype and elements of their tensor, so that the trace is
/// a profile for read_profile_file().
std::string chrome_trace_json(const Graph& graph, const Simulation& simulation, const MemoryProfile& memory,
                              const AppliedContention* contention = nullptr, const TracedRank* measured = nullptr);

}  // namespace overlap
