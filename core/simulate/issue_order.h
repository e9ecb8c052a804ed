#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/simulate/simulation.h"

namespace overlap {

/// What holds collectives in their order beside what they need.
struct IssueOrder {
    bool groups_keep_order = true;  ///< collectives of one process group stay in the order in which they are issued
    /// The first comes after the second, by hand.
    std::vector<std::pair<NodeId, NodeId>> further{};
};

/// Simulation::explain(), where collectives can be issued in this order alone: what would help and cannot be done is
/// told with the reason, or left out.
std::string explain_exposure(const Simulation& simulation, const Graph& graph, std::size_t collective,
                             const IssueOrder& order);

/// Why a collective cannot be issued before a node that comes before it: as a drag in the timeline and Advice refuse
/// it. A clause such as `reduce_scatter_1, which is ahead of it on its process group, has to come behind mm_3`; empty
/// where it can.
/// @param collective index of Simulation::collectives.
std::string issue_refusal(const Graph& graph, const Simulation& simulation, std::size_t collective, NodeId before,
                          const IssueOrder& order);

}  // namespace overlap
