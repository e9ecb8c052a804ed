#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/pass.h"

namespace overlap {

/// torchtitan's passes that move collectives to separate process groups.
inline constexpr std::string_view isolate_expert_group_pass = "isolate_ep_process_group_pass";
inline constexpr std::string_view reassign_groups_pass = "reassign_collective_pgs_pass";

/// The place of a pass for process groups among the steps of a pipeline: before everything that merges or moves
/// collectives, since buckets inherit the groups of their members, and isolating before reassigning, which would
/// otherwise leave the token exchange a group that looks unshared (torchtitan/experiments/graph_trainer/passes.py). It
/// is as late as that allows.
/// @param pass one of the two above.
/// @returns an index from 0 to `steps.size()`, to insert before.
std::size_t group_pass_position(const std::vector<PassStep>& steps, std::string_view pass);

/// Whether a step's pass is one of the two above, by its own name or its former one.
bool is_group_pass(std::string_view written, std::string_view pass);

/// Switches on the step with that pass, moving it where it comes too late, or inserts one at
/// group_pass_position().
void put_group_pass(std::vector<PassStep>& steps, std::string_view pass);

/// Why one of the two passes would change nothing on a graph, or would be refused, as a sentence without full stop;
/// empty where it moves collectives.
std::string group_pass_obstacle(const std::shared_ptr<const Graph>& graph, std::string_view pass);

}  // namespace overlap
