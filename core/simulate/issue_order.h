#pragma once

#include <span>
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
    /// Nodes with 0 or more there were made to pack and unpack a bucket: they go with it, and nothing is put behind
    /// them. May be empty.
    std::span<const std::int32_t> bucket_of_node{};
};

/// How much less of a collective would be exposed by what explain_exposure() says would help: issued earlier, or waited
/// for later. 0 where that cannot be done, where others of its process group hold it, and where it is not exposed. At
/// most that, each collective by itself, since others wait then.
/// @param collective index of Simulation::collectives.
double could_hide_ms(const Graph& graph, const Simulation& simulation, std::size_t collective, const IssueOrder& order);

/// Simulation::explain(), where collectives can be issued in this order alone: what would help and cannot be done is
/// told with the reason, or left out.
std::string explain_exposure(const Simulation& simulation, const Graph& graph, std::size_t collective,
                             const IssueOrder& order);

/// The first half of that: why it is exposed, without what would help. What a move does to the step is known only when
/// the plan that makes it is evaluated; a text that cannot say so names no move.
std::string exposure_cause_text(const Simulation& simulation, const Graph& graph, std::size_t collective);

/// Why a collective cannot be issued before a node that comes before it: as a drag in the timeline and Advice refuse
/// it. A clause such as `reduce_scatter_1, which is ahead of it on its process group, has to come behind mm_3`; empty
/// where it can.
/// @param collective index of Simulation::collectives.
std::string issue_refusal(const Graph& graph, const Simulation& simulation, std::size_t collective, NodeId before,
                          const IssueOrder& order);

/// Where a collective could be waited for later than it is: after compute that does not need it, as a drag of its end
/// and Advice allow it.
struct LaterWait {
    NodeId after = no_node;         ///< compute that comes after its wait now; no_node where all of that needs it
    bool packing_is_left = false;   ///< not all of it needs it where `after` is none, but what does not packs buckets
    double hidden_ms = 0;           ///< of what is exposed, so much is hidden then
    bool moves_dependents = false;  ///< what needs the collective comes after that compute then, too
};

/// Whether a wait is part of the backward pass: as the graph says. A wait of a merged collective, which a pass made,
/// says nothing of itself: it is where what it waits for needs the backward pass, else where its first user is that
/// says something. Where nothing says anything it is once a backward node has come before it: forward and backward may
/// alternate, as of a loss in chunks.
bool waits_in_backward(const Graph& graph, NodeId wait);

/// The last compute before anything that needs the collective, where that hides all that is exposed. Otherwise the
/// first compute behind which all is hidden, or the last that does not need it. Nothing of the forward waits for the
/// backward: of a pipeline stage that needs no data of it, and comes later all the same.
/// @param collective index of Simulation::collectives, of one that is waited for.
LaterWait later_wait(const Graph& graph, const Simulation& simulation, std::size_t collective, const IssueOrder& order);

}  // namespace overlap
