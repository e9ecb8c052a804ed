#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cost/profile_tables.h"
#include "core/graph/graph.h"

namespace overlap {

/// Times that a job took, for figures in place of a graph's own. Passes never see them: they decide by the times in the
/// graph, as the job's will, so the same plan gives the same graph whatever the source.
struct TimeSource {
    std::string name;  ///< of the trace, for people
    ProfileTables tables;
};

/// Times of all nodes of a graph, before or after passes.
struct SourcedTimes {
    std::vector<double> times_ms;
    std::uint32_t collectives = 0;  ///< whose time the source says, interpolated by size per process group
    std::uint32_t operators = 0;    ///< other nodes whose time it says
};

/// node_times_ms(), and where `source` is not null and knows a node, its time instead. A merged collective is asked for
/// by its own size. What control_deps wraps keeps the graph's time: a graph does not hold what is inside.
/// @throws InputError as node_times_ms().
SourcedTimes sourced_times(const Graph& graph, const TimeSource* source);

}  // namespace overlap
