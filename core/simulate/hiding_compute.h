#pragma once

#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/simulate/simulation.h"

namespace overlap {

/// Compute that runs while a collective does, and for how many milliseconds both do.
struct HidingNode {
    NodeId node = no_node;
    double common_ms = 0;
};

/// Finds what hides collectives: the compute that runs at the same time. Made once for a simulation, in time linear in
/// its nodes. What it is made of must outlive it.
class HidingCompute {
  public:
    /// @param times_ms of each node, see node_times_ms(); a node that takes no time hides nothing.
    /// @param simulation of `graph` with these times.
    HidingCompute(const Graph& graph, std::span<const double> times_ms, const Simulation& simulation);

    /// The compute that runs while the collective does, the longest in common first.
    std::vector<HidingNode> of(const CollectiveTiming& collective) const;

  private:
    const Simulation& simulation_;
    std::vector<NodeId> compute_;  ///< what takes time on the compute stream, which is in order of issue
};

}  // namespace overlap
