#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/scheduling/collectives.h"

namespace overlap::scheduling {

/// The scheduler's settings; names and meaning as the options of `schedule_overlap_bucketing`, in bytes.
struct SchedulerLimits {
    std::int64_t in_flight_bytes = 0;
    std::optional<std::int64_t> off_path_bucket_bytes;
    std::int64_t compute_prefetch = 200;
    std::int64_t collective_distance = 200;
    double compute_multiplier = 1;
    std::optional<std::int64_t> memory_increase_bytes;
    std::optional<double> memory_increase_ratio;
    bool prioritize_bucketing = true;
};

/// An order of a graph's nodes; what it hides is in the table of collectives.
struct Schedule {
    std::vector<NodeId> order;  ///< empty when stopped
};

/// torch's overlap scheduler (torch/_inductor/fx_passes/overlap_scheduling.py, OverlapScheduler.run up to its
/// reordering): nodes run in an order by the compute that they block, and compute is given collectives to hide.
///
/// Differs from the reference only in run time: nothing is computed for a collective that cannot start yet, and an
/// attempt that finds nothing to start ends before its candidates are ranked.
/// @param graph in topological order; sorted as the reference sorts it.
/// @param times_ms time of each node.
/// @param table exposed times and hiding nodes of its collectives are set.
/// @throws InputError where torch raises, naming the setting that avoids it where there is one.
Schedule schedule_overlap(const Graph& graph, std::span<const double> times_ms, CollectiveTable& table,
                          const SchedulerLimits& limits, const SymbolicSizes& sizes, const std::stop_token& stop);

}  // namespace overlap::scheduling
