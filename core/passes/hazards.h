#pragma once

#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/pass.h"

namespace overlap {

/// Known defects of the reference's bucketing passes that show in one of their results. The results are reproduced with
/// them, so that the user sees what the job will run; each problem names the nodes concerned.
///
/// | kind | severity | nodes are of | what |
/// |---|---|---|---|
/// | `read_before_fill` | error | result | see reads_before_fill() |
/// | `cyclic_order` | error | result | explicit orderings contradict the data: no order of the nodes satisfies them |
/// | `exposed_reduction` | caution | result | hybrid sharding: nothing runs between a reduce-scatter and its wait |
/// | `activation_reduction_bucketed` | caution | input | all-reduces were merged as gradients, but are used further |
/// | `gathered_for_both` | note | result | gathers of forward and of backward were merged, and parameters stay |
/// | `not_idempotent` | note | input | collectives that a bucketing pass had made were wrapped once more |
///
/// `exposed_reduction` comes from an all-reduce that needs the result of the reduce-scatter. The all-reduces of
/// `activation_reduction_bucketed` have results that other nodes compute with.
///
/// That a group changes its order of ranks is found where groups are made (extra_groups.h, `ranks_reordered`).
/// @param report of the pass that turned `input` into `result`.
std::vector<Problem> find_hazards(const Graph& input, const Graph& result, const PassReport& report);

/// Nodes that read a gathered buffer before the copy that fills it: one problem for each such copy. The reference lets
/// results be views of an `aten.empty` that one `split_with_sizes_copy.out` fills, and only the order of the nodes
/// decides which comes first; so any pass that moves nodes may cause this. A graph in which the order still holds is
/// not a problem.
std::vector<Problem> reads_before_fill(const Graph& graph);

/// Whether two problems are reads before the same copy.
bool are_reads_before_same_fill(const Problem& left, const Problem& right);

/// Whether a problem of reads_before_fill() has a reader that none of `known` has before that copy.
bool is_new_read_before_fill(const Problem& read, std::span<const Problem> known);

}  // namespace overlap
