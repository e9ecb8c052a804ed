// overlap export PLAN [--graph GRAPH] --to FORMAT -o OUT: a plan in formats for jobs, other tools and readers.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ostream>
#include <span>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/pipeline.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/base/error.h"
#include "core/exports/export_format.h"
#include "core/files/atomic_file.h"
#include "core/io/plan/plan_file.h"
#include "core/plan/plan.h"

namespace overlap::commands {

namespace {

/// Whether a plan names modules or nodes of a graph.
bool names_something(const Plan& plan) {
    const bool in_steps = std::ranges::any_of(
        plan.pipeline, [](const PassStep& step) { return step.options.contains("module_bucket_plans"); });
    return in_steps || !plan.buckets.empty() || !plan.module_rules.empty() || !plan.overlaps.list.empty() ||
           !plan.device_orders.empty() || !plan.process_groups.empty();
}

std::string formats_help() {
    std::string help = "Formats:\n";
    std::size_t widest = 0;
    for (const ExportFormat& format : export_formats()) widest = std::max(widest, format.name.size());
    for (const ExportFormat& format : export_formats()) {
        help.append("  ").append(format.name).append(widest + 2 - format.name.size(), ' ').append(format.help);
        help.append(format.needs == ExportNeeds::plan ? "\n" : " (needs --graph)\n");
    }
    return help;
}

class Export final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "export", "A plan for a training job, its simulation as a trace or tables, or a report for people.");
        reads(command->add_option("PLAN", plan_file_, "overlap-plan file"))->required();
        reads(command->add_option("--graph", graph_file_, "overlap-graph file that the plan is for, plain or gzip"));
        cost_model_.declare(*command);
        cost_model_.declare_compilation(*command);
        std::vector<std::string> names;
        for (const ExportFormat& format : export_formats()) names.emplace_back(format.name);
        command->add_option("--to", format_, "one of the formats below")->required()->check(CLI::IsMember(names));
        writes(command->add_option("-o,--output", output_, "file to write"))->required();
        command->footer(formats_help());
        command->callback([this] { check_usage(); });
        return command;
    }

    void run(const Streams& streams) override {
        const ExportFormat& format = require_export_format(format_);
        const Plan plan = read_plan_file(plan_file_);
        ExportInput input{plan, nullptr, nullptr, "overlap " OVERLAP_VERSION, today()};
        if (!graph_file_.empty()) evaluate_on_graph(input, streams);
        try {
            const ExportOutput written = write_export(format, input);
            if (input.result) {
                const std::span<const Problem> problems(input.result->problems);
                print_problems(streams, plan_file_, problems.first(input.result->plan_problems));
                print_memory_problem(streams, plan_file_, *input.result->graph, input.result->corrected_memory);
                // The report's figures are of shared links, and it says so.
                const auto& shared = input.result->on_shared_links;
                if (shared && format_ != "report")
                    print_problems(streams, plan_file_,
                                   std::vector{unshared_links_problem(*shared, input.result->simulation.step_ms)});
            }
            for (const std::string& note : written.notes) {
                if (input.result && std::ranges::count(input.result->problems, note, &Problem::message) > 0) continue;
                streams.notes << "overlap: " << plan_file_ << ": note: " << one_line(note) << '\n';
            }
            if (graph_file_.empty()) {
                print_problems(streams, plan_file_, check_unevaluated(plan));
                tell_what_is_unchecked(plan, streams);
            }
            write_file_atomically(output_, written.bytes);
        } catch (const InputError& error) {
            if (!error.file().empty()) throw;
            const bool lacks_graph = !input.result && format.needs != ExportNeeds::plan;
            const InputError told(error.place(),
                                  error.problem() + (lacks_graph ? "; give it with --graph" : std::string()),
                                  error.code());
            throw with_cost_model_hint(told, plan_file_);
        }
    }

  private:
    void check_usage() const {
        if (!graph_file_.empty() || cost_model_.given_option().empty()) return;
        throw CLI::ValidationError(cost_model_.given_option(), "it gives a graph its times, and --graph is missing");
    }

    /// Formats of a plan alone are written without a graph, and names that match nothing would pass in silence.
    void tell_what_is_unchecked(const Plan& plan, const Streams& streams) const {
        if (!names_something(plan)) return;
        streams.notes << "overlap: " << plan_file_
                      << ": note: whether its names match anything is not known without its graph; --graph gives it\n";
    }

    void evaluate_on_graph(ExportInput& input, const Streams& streams) const {
        const std::shared_ptr<const Graph> graph =
            cost_model_.apply(read_graph(graph_file_, streams), graph_file_, streams);
        try {
            check_plan_fits(input.plan, *graph);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(plan_file_) : error;
        }
        input.result = evaluate(graph, input.plan);
        input.baseline = evaluate_baseline(graph);
    }

    static std::string today() {
        const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
        const std::chrono::year_month_day date(day);
        char text[32];
        std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
        return text;
    }

    std::string plan_file_, graph_file_, format_, output_;
    CostModelOption cost_model_;
};

}  // namespace

std::unique_ptr<Command> make_export() {
    return std::make_unique<Export>();
}

}  // namespace overlap::commands
