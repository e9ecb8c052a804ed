#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/pipeline/evaluation.h"
#include "core/pipeline/time_source.h"

namespace overlap {

/// A collective as a bound takes it: what it does to its link at least, in whatever bucket it is.
struct LinkWork {
    NodeId node = no_node;
    std::uint32_t link = 0;  ///< index of StepWork::links
    double latency_ms = 0;   ///< passes before data moves
    double transfer_ms = 0;  ///< of the link's whole bandwidth
    double duration_ms = 0;  ///< from its start to its end at least
    CollectiveKind kind = CollectiveKind::none;
    std::int64_t moved_bytes = 0;  ///< the larger of its input and its result
    std::int32_t needed_by = 0;    ///< the first anchor that waits for it; the number of anchors for the step's end
    std::int32_t after = -1;       ///< the last anchor that it needs, or -1
    double preparation_ms = 0;     ///< compute that it needs and that comes after this anchor
};

/// What every plan for a graph has to do, and in which order at least. Made once for a graph.
///
/// It is that of the graph after the clean-ups that torchtitan runs on it (dead code, identities, gathers that occur
/// twice unless the backward pass is to gather again), which a plan may run or not. README.md of this folder says why
/// each part is a lower bound.
struct StepWork {
    std::shared_ptr<const Graph> graph;        ///< cleaned up
    std::vector<double> compute_ms;            ///< of each node: what the compute stream does in every plan
    std::vector<NodeId> anchors;               ///< nodes counted in flops that take time, in order: heavy compute
    std::vector<std::int32_t> anchor_of_node;  ///< index of `anchors`, or -1
    /// Of each node the first anchor among what depends on it, itself included; anchors.size() where there is none.
    std::vector<std::int32_t> needed_by;
    /// Of each node the last anchor among what it depends on, itself included; -1 where there is none.
    std::vector<std::int32_t> after;
    std::vector<LinkWork> collectives;             ///< in order of nodes
    std::vector<std::int32_t> collective_of_node;  ///< index of `collectives`: of its start and its waits, else -1
    std::vector<bool> is_wait;                     ///< of a node: it holds compute for `collective_of_node`
    std::vector<std::vector<std::string>> links;   ///< the process groups on each

    /// The heavy compute after which the forward pass makes nothing more that the graph computes again, and which all
    /// of that comes after; no_node where it computes nothing again. Plans that compute it again earlier hold what they
    /// were to free, and are not bounded.
    NodeId made_once = no_node;
    std::vector<NodeId> again;   ///< nodes with compute_ms that compute again, in order
    std::vector<bool> is_again;  ///< of each node whether it is one of them

    /// Whether no plan can hold less by computing again or by copies on the host: no memory section changes what runs.
    bool memory_is_fixed = true;

    /// Why the figures are those of no plan: the graph is not sorted, times are not known, links have no price. A
    /// sentence without full stop; empty where all is well.
    std::string obstacle;
};

/// @param graph with links that are shared as they are to be (shared_links.h).
/// @param source whose times simulations use; null for own_time_source(). Measured times bound nothing: the work of a
/// graph without them is an obstacle.
/// @param stop when it is requested, the work has an obstacle that says so.
std::shared_ptr<const StepWork> step_work(const std::shared_ptr<const Graph>& graph,
                                          std::shared_ptr<const TimeSource> source = nullptr,
                                          const std::stop_token& stop = {});

/// The compute of every plan: the sum of StepWork::compute_ms.
double compute_of_every_plan_ms(const StepWork& work);

/// Whether an evaluated plan does all of this work, and whether it keeps the order of the anchors.
struct KeptWork {
    bool all = false;    ///< if not, no bound holds for it
    bool order = false;  ///< if not, only the order-free bound holds
    /// What is left out first, and which heavy compute comes first before what it follows in the graph: clauses, empty
    /// where nothing is.
    std::string missing{}, moved{};
};
KeptWork kept_work(const StepWork& work, const Evaluation& evaluation);

}  // namespace overlap
