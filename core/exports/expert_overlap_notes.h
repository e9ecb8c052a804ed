#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/pass.h"

namespace overlap {

/// What the trainer's own passes for expert overlap do behind a plan that lacks them: a sentence without full stop
/// each, none where the job does what the plan shows (torchtitan/experiments/graph_trainer/passes.py).
std::vector<std::string> expert_overlap_notes(const Graph& graph, std::span<const PassStep> steps);

/// The step as a job must call it: ep_overlap_chunk_pass with the number of parameters and buffers that the graph's
/// file has, where the step does not give it.
PassStep with_static_inputs(PassStep step, const Graph& graph);

}  // namespace overlap
