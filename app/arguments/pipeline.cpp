#include "app/arguments/pipeline.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <ostream>

#include "app/arguments/file_arguments.h"
#include "app/arguments/readable_value.h"
#include "app/commands/formatting.h"
#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/files/input_file.h"
#include "core/io/plan/plan_file.h"
#include "core/io/report_json.h"
#include "core/memory/device_memory.h"
#include "core/plan/memory_choices.h"
#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"

namespace overlap::commands {

namespace {

/// Whether the file's JSON is an object, which makes it a plan. Unreadable files are left to the real readers.
bool holds_an_object(const std::string& path) {
    try {
        const InputFile file = open_input_file(path);
        int first = std::fgetc(file.stream.get());
        while (first != EOF && std::isspace(first)) first = std::fgetc(file.stream.get());
        return first == '{';
    } catch (const InputError&) {
        return false;
    }
}

/// Checked before the graph is read.
std::string unknown_preset(const std::string& name) {
    if (std::ranges::find(preset_names, name) != preset_names.end()) return {};
    return "there is no preset " + in_quotes(name) + suggest_names(name, preset_names);
}

/// `default, save_all, … or full_keep_all`
std::string names_of_memory_choices() {
    std::string names;
    for (std::size_t index = 0; index < memory_choice_names.size(); ++index) {
        const bool last = index + 1 == memory_choice_names.size();
        names.append(index == 0 ? "" : last ? " or " : ", ").append(memory_choice_names[index]);
    }
    return names;
}

std::string unknown_memory_choice(const std::string& name) {
    if (std::ranges::find(memory_choice_names, name) != memory_choice_names.end()) return {};
    return "there is no memory choice " + in_quotes(name) +
           suggest_names(name, std::vector<std::string>(memory_choice_names.begin(), memory_choice_names.end()));
}

/// @param name one of preset_names.
GivenPlan read_preset(const std::string& name, const Graph& graph) {
    const auto place = std::ranges::find(preset_names, name) - preset_names.begin();
    PipelinePreset preset = pipeline_presets(graph)[static_cast<std::size_t>(place)];
    return {"preset " + name, plan_of(preset, graph, preset.title), std::move(preset.notes)};
}

}  // namespace

void PipelineOption::declare(CLI::App& command, int least) {
    CLI::Option_group* passes = command.add_option_group("passes", least > 0 ? "What to run; one of" : "What to run");
    reads(passes->add_option("--pipeline", file_, "JSON list of {\"pass\", \"options\"}, or a plan"));
    passes->add_option("--preset", preset_, "torchtitan_default or torchtitan_performance, made for the graph")
        ->check(unknown_preset);
    passes->require_option(least, 1);
    command
        .add_option("--memory", memory_,
                    "what is kept between forward and backward, in place of the plan's: " + names_of_memory_choices())
        ->check(unknown_memory_choice);
    command
        .add_option("--memory-rules", memory_rules_,
                    "rules beside it, such as \"recompute layers.0 :: aten.mm.default | keep layers.31\"")
        ->check(readable_by(read_memory_rules));
}

/// The rest of a plan's memory section stays.
void PipelineOption::put_memory(const Graph& graph, Plan& plan) const {
    if (memory_.empty() && memory_rules_.empty()) return;
    MemorySection section = plan.memory.value_or(MemorySection());
    if (!memory_.empty()) {
        const std::vector<MemoryChoice> choices = memory_choices(ModuleTree(graph, preferred_module_source(graph)));
        const auto choice = std::ranges::find(choices, memory_, &MemoryChoice::name);
        if (choice == choices.end())
            throw InputError("--memory", "",
                             "the graph has fewer than four numbered layers (layers.0, …), and " + in_quotes(memory_) +
                                 " keeps the last quarter of them");
        section.policy = choice->section.policy;
        section.rules = choice->section.rules;
    }
    if (!memory_rules_.empty()) {
        const std::vector<MemoryRule> rules = read_memory_rules(memory_rules_);
        section.rules.insert(section.rules.end(), rules.begin(), rules.end());
    }
    plan = edits::with_memory(std::move(plan), std::move(section));
}

GivenPlan PipelineOption::read(const Graph& graph, const Graph& as_read) const {
    GivenPlan given{"--memory", {}, {}};
    if (!preset_.empty()) given = read_preset(preset_, graph);
    if (!file_.empty()) given = {file_, read_plan_or_passes(file_, as_read), {}};
    put_memory(graph, given.plan);
    return given;
}

Plan read_plan_or_passes(const std::string& file) {
    if (holds_an_object(file)) return read_plan_file(file);
    Plan plan;
    plan.pipeline = read_pipeline_file(file);
    return plan;
}

Plan read_plan_or_passes(const std::string& file, const Graph& graph) {
    Plan plan = read_plan_or_passes(file);
    try {
        check_plan_fits(plan, graph);
    } catch (const InputError& error) {
        throw error.in_file(file);
    }
    return plan;
}

Execution run_plan(const std::shared_ptr<const Graph>& graph, const GivenPlan& given) {
    ExecutionOptions options{.strictness = Strictness::strict, .plan_file = given.file};
    return *execute(resolve(graph, given.plan), std::move(options));
}

void require_run(const Execution& execution, const std::string& file) {
    if (!execution.refusal) return;
    throw execution.refusal->file().empty() ? execution.refusal->in_file(file) : *execution.refusal;
}

std::string problem_line(const std::string& file, const Problem& problem) {
    return file + ": " + std::string(severity_name(problem.severity)) + ": " + one_line(problem.message);
}

void print_memory_problem(const Streams& streams, const std::string& name, const Graph& graph,
                          const MemoryProfile& memory) {
    if (const std::optional<Problem> problem = memory_problem(graph, memory))
        streams.notes << "overlap: " << problem_line(name, *problem) << '\n';
    if (const std::optional<Problem> problem = uncounted_results_problem(graph))
        streams.notes << "overlap: " << problem_line(name, *problem) << '\n';
}

void print_problems(const Streams& streams, const std::string& file, std::span<const Problem> problems) {
    for (const Problem& problem : problems) streams.notes << "overlap: " << problem_line(file, problem) << '\n';
}

}  // namespace overlap::commands
