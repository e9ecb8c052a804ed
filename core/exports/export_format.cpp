#include "core/exports/export_format.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/exports/formats.h"

namespace overlap {

namespace {

constexpr std::array formats = {
    ExportFormat{"plan", "Plan", ".plan.json", "the plan itself, checked against the graph where one is given",
                 ExportNeeds::plan, export_plan_document},
    ExportFormat{"job", "Plan for a training job", ".job.plan.json",
                 "the plan with what a job checks it by, for apply_plan() of the Python package", ExportNeeds::result,
                 export_job_plan},
    ExportFormat{"graph_trainer", "Passes for torchtitan's graph trainer", ".graph_trainer.py",
                 "Python: module_bucket_plans and the plan's steps as a pipeline of torchtitan's graph trainer",
                 ExportNeeds::plan, export_graph_trainer},
    ExportFormat{"inductor", "Settings of Inductor", ".inductor.py",
                 "Python: settings of torch._inductor.config for the plan's automatic and stand-alone steps",
                 ExportNeeds::plan, export_inductor_settings},
    ExportFormat{"fsdp2", "Prefetching of FSDP2", ".fsdp2.py",
                 "Python: explicit forward and backward prefetching, in the order of the result", ExportNeeds::figures,
                 export_fsdp2_prefetch},
    ExportFormat{"trace", "Trace of the simulation (Chrome JSON)", ".trace.json",
                 "the simulated step for Perfetto and chrome://tracing", ExportNeeds::figures, export_chrome_trace},
    ExportFormat{"perfetto", "Trace of the simulation (Perfetto)", ".pftrace",
                 "the same in Perfetto's own format, each row a track", ExportNeeds::figures, export_perfetto_trace},
    ExportFormat{"buckets.csv", "Table of buckets", ".buckets.csv",
                 "what each bucket merged, its bytes, times and exposed time", ExportNeeds::figures,
                 export_buckets_table},
    ExportFormat{"collectives.csv", "Table of collectives", ".collectives.csv",
                 "every collective of the result with bytes, times, bucket, cause and explanation",
                 ExportNeeds::figures, export_collectives_table},
    ExportFormat{"report", "Report (HTML)", ".report.html",
                 "one page for people: figures, timelines, buckets, causes, problems, passes", ExportNeeds::figures,
                 export_report},
};

/// The longest stem of a file's name, well below what file systems take.
constexpr std::size_t longest_stem = 80;

void check_needs(const ExportFormat& format, const ExportInput& input) {
    if (!input.result) {
        if (format.needs == ExportNeeds::plan) return;
        throw InputError("",
                         "the format " + std::string(format.name) + " is made from the graph with the plan applied");
    }
    // A document may be written of a plan that is refused, to repair it elsewhere; what acts on it may not.
    if (const std::string refusal = refusal_of(*input.result); !refusal.empty() && format.name != "plan") {
        throw InputError("", "the plan is refused, so there is nothing to export: " + refusal);
    }
    if (format.needs != ExportNeeds::figures) return;
    for (const Problem& problem : input.result->problems) {
        if (problem.kind == ProblemKind::no_times) throw InputError("", problem.message, problem.error);
    }
}

/// A name as a part of a file's: letters, digits, dots and lines, neither hidden nor taken for an option.
std::string safe_name(std::string_view name) {
    std::string safe;
    for (const unsigned char letter : name.substr(0, longest_stem)) {
        if (std::isalnum(letter) != 0 || letter == '.' || letter == '-' || letter == '_') {
            safe += static_cast<char>(letter);
        } else if (!safe.empty() && safe.back() != '_') {
            safe += '_';
        }
    }
    safe.erase(0, std::min(safe.find_first_not_of("._-"), safe.size()));
    while (!safe.empty() && (safe.back() == '_' || safe.back() == '.')) safe.pop_back();
    return safe;
}

}  // namespace

std::span<const ExportFormat> export_formats() {
    return formats;
}

const ExportFormat& require_export_format(std::string_view name) {
    std::vector<std::string> names;
    for (const ExportFormat& format : formats) {
        if (format.name == name) return format;
        names.emplace_back(format.name);
    }
    throw InputError("", "there is no format " + in_quotes(name) + suggest_names(name, names));
}

ExportOutput write_export(const ExportFormat& format, const ExportInput& input) {
    check_needs(format, input);
    return format.write(input);
}

std::vector<PassStep> steps_that_run(const Plan& plan, const Execution* result) {
    if (!result || !result->resolved) return lower(plan);
    std::vector<PassStep> steps;
    for (const ResolvedStep& step : result->resolved->steps) steps.push_back(step.step);
    return steps;
}

std::string refusal_of(const Execution& execution) {
    return execution.refusal ? execution.refusal->what() : std::string();
}

std::string export_file_stem(std::string_view graph_name, std::string_view plan_name) {
    const std::string graph = safe_name(graph_name), plan = safe_name(plan_name);
    return (graph.empty() ? graph : graph + '.') + (plan.empty() ? "plan" : plan);
}

std::string export_file_name(const ExportFormat& format, std::string_view graph_name, std::string_view plan_name) {
    return export_file_stem(graph_name, plan_name) + std::string(format.suffix);
}

}  // namespace overlap
