#include "app/commands/pipeline.h"

#include <algorithm>
#include <fstream>
#include <ostream>

#include "app/commands/file_arguments.h"
#include "app/commands/formatting.h"
#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/graph/module_tree.h"
#include "core/io/plan_file.h"
#include "core/modules/module_repair.h"
#include "core/passes/registry/registry.h"
#include "core/passes/report_json.h"
#include "core/pipeline/plan_overlaps.h"
#include "core/plan/group_passes.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"
#include "core/plan/process_groups_field.h"

namespace overlap::commands {

namespace {

/// Whether the file's JSON is an object, which makes it a plan. What cannot be read is left to the real readers.
bool holds_an_object(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    char first = 0;
    file >> first;
    return first == '{';
}

std::string place_in_step(const Pipeline& pipeline, std::size_t step, const InputError& error) {
    std::string place = place_of_step(pipeline, step);
    if (!error.place().empty()) place += ", " + error.place();
    return place;
}

bool reported(const PassReport& report, const Problem& problem) {
    return std::any_of(report.problems.begin(), report.problems.end(), [&](const Problem& known) {
        return known.kind == problem.kind && known.plan_entry == problem.plan_entry && known.message == problem.message;
    });
}

void add_entry_problems(const Graph& graph, const PassStep& step, PassReport& report) {
    const std::optional<StepBuckets> buckets = step_buckets(step);
    if (!buckets) return;
    for (Problem& problem : check_buckets(graph, ModuleTree(graph, buckets->source), buckets->entries)) {
        if (!reported(report, problem)) report.problems.push_back(std::move(problem));
    }
}

/// Why a pass that moves collectives to a new process group has moved none, where it does not say so itself.
void add_group_problem(const std::shared_ptr<const Graph>& graph, PassReport& report) {
    const bool is_known =
        is_group_pass(report.pass, isolate_expert_group_pass) || is_group_pass(report.pass, reassign_groups_pass);
    if (!is_known || !report.groups.empty() || !report.problems.empty()) return;
    Problem problem;
    problem.kind = ProblemKind::no_new_group;
    problem.title = "No new group";
    problem.message = group_pass_obstacle(graph, report.pass);
    report.problems.push_back(std::move(problem));
}

PassResult run_step(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline, std::size_t step) {
    try {
        return require_pass(pipeline.steps[step].pass).run(graph, pipeline.steps[step].options, {});
    } catch (const PassRefusal& refusal) {
        throw InputError(pipeline.file, place_in_step(pipeline, step, refusal), refusal.problem(), refusal.code());
    } catch (const InputError& error) {
        throw error.file().empty() ? error.in_file(pipeline.file) : error;
    }
}

/// The overlaps by hand, with a report that says which of them cannot hold.
PassResult run_overlaps(const PipelineResult& before, const Pipeline& pipeline) {
    try {
        DirectedGraph directed = apply_overlaps(before.graph, before.reports, pipeline.overlaps, pipeline.modules);
        for (Problem& problem : refused_overlaps(pipeline.overlaps, directed.outcomes))
            directed.result.report.problems.push_back(std::move(problem));
        return std::move(directed.result);
    } catch (const InputError& error) {
        throw InputError(pipeline.file, "overlaps", error.problem(), error.code());
    }
}

/// What the steps begin with: the graph with the modules that the pipeline's rules give.
PipelineResult with_modules(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline) {
    PipelineResult result;
    result.graph = graph;
    if (!pipeline.module_rules.empty()) {
        const std::shared_ptr<const RepairedModules> repaired = repair_modules(graph, pipeline.module_rules);
        result.graph = repaired->graph;
        result.problems = check_module_rules(pipeline.module_rules, *repaired);
    }
    return result;
}

void add_missing_groups(const Pipeline& pipeline, PipelineResult& result) {
    for (Problem& problem : check_group_names(pipeline.process_groups, *result.graph))
        result.problems.push_back(std::move(problem));
}

Pipeline read_pipeline(const std::string& path, const Graph& graph) {
    Pipeline pipeline;
    pipeline.file = path;
    if (holds_an_object(path)) {
        const Plan plan = read_plan_file(path);
        try {
            check_plan_fits(plan, graph);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(path) : error;
        }
        pipeline.steps = lower(plan);
        pipeline.overlaps = plan.overlaps;
        pipeline.module_rules = plan.module_rules;
        pipeline.modules = module_source(plan, graph);
        pipeline.problems = check_unevaluated(plan);
        pipeline.process_groups = plan.unevaluated.value("process_groups", Json::array());
    } else {
        pipeline.steps = read_pipeline_file(path);
    }
    for (std::size_t step = 0; step < pipeline.steps.size(); ++step) {
        try {
            check_options(require_pass(pipeline.steps[step].pass), pipeline.steps[step].options);
        } catch (const InputError& error) {
            throw InputError(path, place_in_step(pipeline, step, error), error.problem());
        }
    }
    return pipeline;
}

/// Checked before the graph is read.
std::string unknown_preset(const std::string& name) {
    if (std::ranges::find(preset_names, name) != preset_names.end()) return {};
    return "there is no preset " + in_quotes(name) + suggest_names(name, preset_names);
}

/// @param name one of preset_names.
Pipeline preset_pipeline(const std::string& name, const Graph& graph) {
    const auto place = std::ranges::find(preset_names, name) - preset_names.begin();
    PipelinePreset preset = pipeline_presets(graph)[static_cast<std::size_t>(place)];
    Pipeline pipeline;
    pipeline.file = "preset " + name;
    pipeline.steps = lower(plan_of(preset, graph, preset.title));
    pipeline.problems = std::move(preset.notes);
    return pipeline;
}

}  // namespace

void PipelineOption::declare(CLI::App& command, int least) {
    CLI::Option_group* passes = command.add_option_group("passes", least > 0 ? "What to run; one of" : "What to run");
    reads(passes->add_option("--pipeline", file_, "JSON list of {\"pass\", \"options\"}, or a plan"));
    passes->add_option("--preset", preset_, "torchtitan_default or torchtitan_performance, made for the graph")
        ->check(unknown_preset);
    passes->require_option(least, 1);
}

Pipeline PipelineOption::read(const Graph& graph) const {
    return preset_.empty() ? read_pipeline(file_, graph) : preset_pipeline(preset_, graph);
}

std::string place_of_step(const Pipeline& pipeline, std::size_t step) {
    return "step " + std::to_string(step + 1) + " (" + pipeline.steps[step].pass + ")";
}

PipelineResult run_passes(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline) {
    PipelineResult result = with_modules(graph, pipeline);
    for (std::size_t step = 0; step < pipeline.steps.size(); ++step) {
        PassResult done = run_step(result.graph, pipeline, step);
        result.reports.push_back(std::move(done.report));
        result.graph = std::move(done.graph);
    }
    if (!pipeline.overlaps.list.empty()) {
        PassResult done = run_overlaps(result, pipeline);
        result.reports.push_back(std::move(done.report));
        result.graph = std::move(done.graph);
    }
    add_missing_groups(pipeline, result);
    return result;
}

void tell_problems(const Streams& streams, const Pipeline& pipeline, const PipelineResult& result) {
    const auto tell = [&](const std::vector<Problem>& problems) {
        for (const Problem& problem : problems) {
            streams.notes << "overlap: " << pipeline.file << ": " << severity_name(problem.severity) << ": "
                          << one_line(problem.message) << '\n';
        }
    };
    tell(pipeline.problems);
    tell(result.problems);
    for (const PassReport& report : result.reports) tell(report.problems);
}

PipelineResult run_and_check(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline) {
    PipelineResult result = with_modules(graph, pipeline);
    for (std::size_t step = 0; step < pipeline.steps.size(); ++step) {
        PassResult done = run_step(result.graph, pipeline, step);
        add_group_problem(result.graph, done.report);
        result.differences.push_back(graph_difference(*result.graph, *done.graph, done.origin));
        add_entry_problems(*result.graph, pipeline.steps[step], done.report);
        result.reports.push_back(std::move(done.report));
        result.graph = std::move(done.graph);
    }
    if (!pipeline.overlaps.list.empty()) {
        PassResult done = run_overlaps(result, pipeline);
        result.differences.push_back(graph_difference(*result.graph, *done.graph, done.origin));
        result.reports.push_back(std::move(done.report));
        result.graph = std::move(done.graph);
    }
    add_missing_groups(pipeline, result);
    return result;
}

}  // namespace overlap::commands
