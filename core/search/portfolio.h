#pragma once

#include <vector>

#include "core/search/candidate.h"

namespace overlap {

/// How many settings of the automatic pass the grid has.
inline constexpr std::size_t grid_size = 64;

/// torchtitan's presets, by their names.
std::vector<Proposal> preset_proposals(const Graph& graph);

/// PyTorch's automatic pass with each of 64 settings: merging or not; memory beyond the original's of none, its default
/// and any; collectives in flight; distance of prefetching; how buckets are packed, and which grow first. README.md
/// lists them. They are proposed after the clean-ups of torchtitan's default preset, without what
/// it does for memory, and first as the pass stands
/// alone, with merging and without.
std::vector<Proposal> grid_proposals(const Graph& graph);

/// A plan with process groups of their own for gathers, for expert parallelism or for both, where a pass would move
/// something.
std::vector<Proposal> group_proposals(const std::shared_ptr<const Graph>& graph, const Plan& plan);

}  // namespace overlap
