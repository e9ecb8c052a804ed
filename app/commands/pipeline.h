#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "core/graph/graph.h"
#include "core/graph/graph_difference.h"
#include "core/plan/plan.h"

namespace overlap::commands {

/// What `--pipeline FILE` or `--preset NAME` says, ready to run on one graph.
struct Pipeline {
    std::string file;                      ///< or what stands for it in messages
    std::vector<ModuleRule> module_rules;  ///< applied before the steps
    std::vector<PassStep> steps;
    OverlapDirectives overlaps;                         ///< by hand, applied after the steps
    ModuleSource modules = ModuleSource::module_stack;  ///< where those look modules up
    std::vector<GroupSettings> process_groups;          ///< settings of a plan for a run
    std::optional<UnreadField> unread_process_groups;   ///< where they could not be read
    std::vector<Problem> problems;  ///< of the plan as a whole, such as parts that are not evaluated
};

/// The options `--pipeline` and `--preset` of a command, of which at most one is given.
class PipelineOption {
  public:
    /// @param least: 1 where one of them must be given, 0 where none need be.
    void declare(CLI::App& command, int least);
    bool given() const { return !file_.empty() || !preset_.empty(); }
    /// What has been given: a list of passes or a plan, told apart by content, or a preset by its name
    /// (core/plan/presets.h). Checks names, options, and that a plan is for `graph`.
    /// @throws InputError with file and place; when there is no preset of that name.
    Pipeline read(const Graph& graph) const;

  private:
    std::string file_, preset_;
};

/// `step 2 (eliminate_dead_code_pass)`, for messages. @param step counts from 0.
std::string place_of_step(const Pipeline& pipeline, std::size_t step);

struct PipelineResult {
    std::shared_ptr<const Graph> graph;
    std::vector<PassReport> reports;           ///< one a step, and one of the overlaps by hand where there are any
    std::vector<GraphDifference> differences;  ///< the same; of run_and_check() alone
    std::vector<Problem> problems;             ///< of the rules that give modules, and of process groups
};

/// Gives modules, runs the steps one after the other and applies the overlaps: the passes and nothing else.
/// @throws InputError with the pipeline's file and the step where a pass cannot be run.
PipelineResult run_passes(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline);

/// Writes the problems of a pipeline and its steps as notes.
void tell_problems(const Streams& streams, const Pipeline& pipeline, const PipelineResult& result);

/// As run_passes; each report also says what is remarkable about its step's bucket entries, such as names that match
/// nothing, which the reference ignores without a word; and what each step did to the graph is told.
PipelineResult run_and_check(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline);

}  // namespace overlap::commands
