#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "core/base/problem.h"
#include "core/graph/graph.h"
#include "core/memory/memory_profile.h"
#include "core/pipeline/execution.h"
#include "core/plan/plan.h"

namespace overlap::commands {

/// The content of `--pipeline FILE` or `--preset NAME`.
struct GivenPlan {
    std::string file;            ///< or what names it in messages
    Plan plan;                   ///< a list of passes is a plan with that pipeline and nothing else
    std::vector<Problem> notes;  ///< of a preset, such as passes of the trainer that it lacks
};

/// The options `--pipeline` and `--preset` of a command, of which at most one is given, and `--memory` and
/// `--memory-rules`, which replace policy and rules of its memory section.
class PipelineOption {
  public:
    /// @param least: 1 where one of them must be given, 0 where none need be.
    void declare(CLI::App& command, int least);
    bool given() const { return !file_.empty() || !preset_.empty() || !memory_.empty() || !memory_rules_.empty(); }
    /// What has been given: a list of passes or a plan, distinguished by content, or a preset by its name
    /// (core/plan/presets.h). Checks names, options, and that a plan is for `graph`.
    /// @throws InputError with file and place; when there is no preset or memory choice of that name.
    GivenPlan read(const Graph& graph) const { return read(graph, graph); }
    /// The same of a graph whose batch was changed: a plan is for it `as_read`, whose sizes its digest covers.
    GivenPlan read(const Graph& graph, const Graph& as_read) const;

  private:
    void put_memory(const Graph& graph, Plan& plan) const;

    std::string file_, preset_, memory_, memory_rules_;
};

/// A plan, or a plan of a list of passes, told apart by content.
/// @throws InputError with file and place.
Plan read_plan_or_passes(const std::string& file);
/// Such a plan, which is for the graph.
/// @throws InputError with file and place.
Plan read_plan_or_passes(const std::string& file, const Graph& graph);

/// Runs the plan.
/// @throws InputError with the plan's file and the step where a pass cannot be run.
Execution run_plan(const std::shared_ptr<const Graph>& graph, const GivenPlan& given);

/// Checks that an evaluated plan can be run.
/// @throws InputError as run_plan().
void require_run(const Execution& execution, const std::string& file);

/// `FILE: caution: what it is`, one line.
std::string problem_line(const std::string& file, const Problem& problem);

/// Notes a step beyond the device's memory, and a peak that is too low. @param name of the graph's or plan's file.
void print_memory_problem(const Streams& streams, const std::string& name, const Graph& graph,
                          const MemoryProfile& memory);

/// Writes problems of a plan as notes.
void print_problems(const Streams& streams, const std::string& file, std::span<const Problem> problems);

}  // namespace overlap::commands
