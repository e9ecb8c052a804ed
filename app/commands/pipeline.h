#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/pass.h"

namespace overlap::commands {

/// What `--pipeline FILE` or `--preset NAME` says, ready to run on one graph.
struct Pipeline {
    std::string file;  ///< or what stands for it in messages
    std::vector<PassStep> steps;
    std::vector<Problem> problems;  ///< of the plan as a whole, such as parts that are not evaluated
};

/// Reads a list of passes or a plan, told apart by content, and checks names, options, and that a plan is for `graph`.
/// @throws InputError with file and place.
Pipeline read_pipeline(const std::string& path, const Graph& graph);

/// A preset by its name (core/plan/presets.h), with its own buckets; its problems are what it leaves out.
/// @throws InputError when there is none of that name.
Pipeline preset_pipeline(const std::string& name, const Graph& graph);

struct PipelineResult {
    std::shared_ptr<const Graph> graph;
    std::vector<PassReport> reports;  ///< one a step
};

/// Runs the steps one after the other: the passes and nothing else.
/// @throws InputError with the pipeline's file and the step where a pass cannot be run.
PipelineResult run_passes(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline);

/// As run_passes; each report also says what is remarkable about its step's bucket entries, such as names that match
/// nothing, which the reference ignores without a word.
PipelineResult run_and_check(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline);

}  // namespace overlap::commands
