#include "app/commands/pipeline.h"

#include <algorithm>
#include <fstream>

#include "core/graph/error.h"
#include "core/graph/module_tree.h"
#include "core/graph/nearest_name.h"
#include "core/graph/quote.h"
#include "core/io/plan_file.h"
#include "core/plan/plan.h"

namespace overlap::commands {

namespace {

constexpr const char* module_lists_option = "module_bucket_plans";

/// Whether the file's JSON is an object, which makes it a plan. What cannot be read is left to the real readers.
bool holds_an_object(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    char first = 0;
    file >> first;
    return first == '{';
}

std::string step_place(const Pipeline& pipeline, std::size_t step) {
    return "step " + std::to_string(step + 1) + " (" + pipeline.steps[step].pass + ")";
}

const Pass& require_pass(const Pipeline& pipeline, std::size_t step) {
    const std::string& name = pipeline.steps[step].pass;
    if (const Pass* pass = find_pass(name)) return *pass;
    std::vector<std::string> names;
    for (const Pass* pass : all_passes()) names.emplace_back(pass->name());
    std::string problem = "there is no pass " + in_quotes(name);
    if (const std::vector<std::string> near = nearest_names(name, names, 1); !near.empty()) {
        problem += "; the nearest name is " + in_quotes(near.front());
    }
    problem += "; passes:";
    for (const std::string& known : names) problem += ' ' + known;
    throw InputError(pipeline.file, "step " + std::to_string(step + 1), problem);
}

/// The bucket entries of a step's options, which have been checked.
std::vector<BucketEntry> bucket_entries(const Json& options) {
    std::vector<BucketEntry> entries;
    const auto lists = options.find(module_lists_option);
    if (lists == options.end() || !lists->is_array()) return entries;
    for (const Json& item : *lists) {
        BucketEntry entry;
        entry.written_as_list = item.is_array();
        if (item.is_array()) {
            entry.modules = item.get<std::vector<std::string>>();
        } else {
            entry.modules.push_back(item.get<std::string>());
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

ModuleSource module_source(const Json& options) {
    const auto chosen = options.find("module_stack_fn");
    const bool named = chosen != options.end() && !chosen->is_null();
    return named ? ModuleSource::module_fqn : ModuleSource::module_stack;
}

bool reported(const PassReport& report, const Problem& problem) {
    return std::any_of(report.problems.begin(), report.problems.end(), [&](const Problem& known) {
        return known.kind == problem.kind && known.plan_entry == problem.plan_entry && known.message == problem.message;
    });
}

void add_entry_problems(const Graph& graph, const Json& options, PassReport& report) {
    const std::vector<BucketEntry> entries = bucket_entries(options);
    if (entries.empty()) return;
    const ModuleTree tree(graph, module_source(options));
    for (Problem& problem : check_buckets(graph, tree, entries)) {
        if (!reported(report, problem)) report.problems.push_back(std::move(problem));
    }
}

PassResult run_step(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline, std::size_t step) {
    try {
        return require_pass(pipeline, step).run(graph, pipeline.steps[step].options, {});
    } catch (const PassRefusal& refusal) {
        const std::string place = refusal.place().empty() ? "" : ", " + refusal.place();
        throw InputError(pipeline.file, step_place(pipeline, step) + place, refusal.problem());
    } catch (const InputError& error) {
        throw error.file().empty() ? error.in_file(pipeline.file) : error;
    }
}

}  // namespace

Pipeline read_pipeline(const std::string& path, const Graph& graph) {
    Pipeline pipeline{path, {}};
    if (holds_an_object(path)) {
        const Plan plan = read_plan_file(path);
        try {
            check_plan_fits(plan, graph);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(path) : error;
        }
        pipeline.steps = lower(plan);
    } else {
        pipeline.steps = read_pipeline_file(path);
    }
    for (std::size_t step = 0; step < pipeline.steps.size(); ++step) {
        try {
            check_options(require_pass(pipeline, step), pipeline.steps[step].options);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(path) : error;
        }
    }
    return pipeline;
}

PipelineResult run_passes(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline) {
    PipelineResult result{graph, {}};
    for (std::size_t step = 0; step < pipeline.steps.size(); ++step) {
        PassResult done = run_step(result.graph, pipeline, step);
        result.reports.push_back(std::move(done.report));
        result.graph = std::move(done.graph);
    }
    return result;
}

PipelineResult run_and_check(const std::shared_ptr<const Graph>& graph, const Pipeline& pipeline) {
    PipelineResult result{graph, {}};
    for (std::size_t step = 0; step < pipeline.steps.size(); ++step) {
        PassResult done = run_step(result.graph, pipeline, step);
        add_entry_problems(*result.graph, pipeline.steps[step].options, done.report);
        result.reports.push_back(std::move(done.report));
        result.graph = std::move(done.graph);
    }
    return result;
}

}  // namespace overlap::commands
