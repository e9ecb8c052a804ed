// overlap compare GRAPH [--plan PLAN]... [--trace FILE...]: differences between two plans, or between a plan and a
// measured job.

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/number_range.h"
#include "app/arguments/pipeline.h"
#include "app/arguments/profile_input.h"
#include "app/commands/command.h"
#include "app/commands/comparison_output.h"
#include "app/commands/formatting.h"
#include "core/base/error.h"
#include "core/io/profile_file.h"
#include "core/io/report_json.h"
#include "core/io/trace_file.h"
#include "core/measure/job_match.h"

namespace overlap::commands {

namespace {

class Compare final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "compare", "What moved, changed, appeared and vanished between two plans, or a plan and a measured step.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"))->required();
        reads(command->add_option(
                  "--plan", plans_,
                  "plan or list of passes to compare; given once, it is compared with the graph as it is"))
            ->allow_extra_args(false);
        reads(command->add_option(
            "--trace", traces_,
            "Kineto or Chrome traces of the job: the one to compare with, then those of other ranks"));
        reads(command->add_option(
            "--profile", profiles_,
            "traces to take times of collectives from, for the error of predictions; default: --trace"));
        cost_model_.declare(*command);
        cost_model_.declare_compilation(*command);
        cost_model_.declare_shared_links(*command);
        command->add_flag("--contention", contention_, contention_help);
        command->add_option("--step", selection_.step,
                            "step of the trace, by name or number; default: the last counted");
        command->add_option("--device", selection_.device, "GPU of the trace; default: the first");
        command->add_option("--rows", rows_, "rows to print, the greatest effects first; 0: all")
            ->check(whole_number_from(0, 1'000'000'000))
            ->capture_default_str();
        command->add_flag("--json", json_, "print JSON, with every collective");
        command->callback([this] { check_usage(); });
        return command;
    }

    void run(const Streams& streams) override {
        const std::shared_ptr<const Graph> graph =
            cost_model_.apply(read_graph(file_, streams), file_, streams, contention_);
        const std::shared_ptr<const TimeSource> source = source_of(*graph, streams);
        std::vector<Variant> variants;
        if (plans_.size() < 2)
            variants.push_back({graph->header().name, checked(evaluate_baseline(graph, {}, source), file_, streams)});
        for (const std::string& plan : plans_) variants.push_back({plan, planned(graph, plan, source, streams)});
        if (traces_.empty()) {
            const Comparison comparison = compare_variants(*variants[0].evaluation, *variants[1].evaluation);
            write(streams.out, {variants[0].name, variants[1].name, comparison, nullptr, {}, {}});
        } else {
            compare_with_trace(variants.back(), streams);
        }
    }

  private:
    struct Variant {
        std::string name;
        std::shared_ptr<const Evaluation> evaluation;
    };

    void check_usage() const {
        if (plans_.size() > 2) throw CLI::ValidationError("--plan", "two plans at most can be compared");
        if (plans_.size() == 2 && !traces_.empty()) {
            throw CLI::ValidationError("--trace", "a trace is compared with one plan at most");
        }
        if (plans_.empty() && traces_.empty()) {
            throw CLI::ValidationError("--plan or --trace", "there is nothing to compare the graph with");
        }
        if (traces_.empty() && (!profiles_.empty() || !selection_.step.empty() || !selection_.device.empty())) {
            throw CLI::ValidationError("--profile, --step and --device", "they need --trace");
        }
    }

    /// Null for the times that the graph has, or that its compiled job has.
    std::shared_ptr<const TimeSource> source_of(const Graph& graph, const Streams& streams) const {
        if (!contention_) return cost_model_.link_source(graph);
        try {
            print_contention_notes(streams, file_, graph);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(file_) : error;
        }
        return modelled_source(true, graph.header().cost->compilation);
    }

    static std::shared_ptr<const Evaluation> planned(const std::shared_ptr<const Graph>& graph, const std::string& file,
                                                     const std::shared_ptr<const TimeSource>& source,
                                                     const Streams& streams) {
        const std::shared_ptr<const Evaluation> evaluation =
            checked(evaluate(graph, read_plan_or_passes(file, *graph), {}, source), file, streams);
        print_problems(streams, file, std::span(evaluation->problems).first(evaluation->plan_problems));
        return evaluation;
    }

    /// A refused plan has the figures of the unchanged graph, which are not what was requested.
    static std::shared_ptr<const Evaluation> checked(std::shared_ptr<const Evaluation> evaluation,
                                                     const std::string& file, const Streams& streams) {
        require_run(*evaluation, file);
        for (const Problem& problem : evaluation->problems) {
            if (problem.kind == ProblemKind::no_times) throw InputError(file, "", problem.message);
        }
        print_memory_problem(streams, file, *evaluation->graph, evaluation->corrected_memory);
        if (const auto& shared = evaluation->on_shared_links)
            print_problems(streams, file, std::vector{unshared_links_problem(*shared, evaluation->simulation.step_ms)});
        return evaluation;
    }

    void compare_with_trace(const Variant& variant, const Streams& streams) const {
        std::vector<std::shared_ptr<const MeasuredTrace>> traces;
        for (const std::string& file : traces_) traces.push_back(read_trace_file(file));
        const AlignedRanks aligned = align_ranks(traces);
        MeasuredComparison measured;
        try {
            measured = compare_with_measurement(variant.evaluation, measured_step(traces.front(), selection_),
                                                {.ranks = &aligned, .own = 0});
            require_same_job(job_match(measured));
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(traces_.front()) : error;
        }
        std::vector<ProfileRecords> records;
        // Of the trace that is compared with it is said there.
        for (const std::string& file : profiles_.empty() ? traces_ : profiles_) {
            records.push_back(file == traces_.front() ? read_profile_file(file) : read_profile(file, streams));
        }
        const ProfileError of_profile = error_of_profile(measured, ProfileTables(combine_profiles(std::move(records))));
        const std::string step = measured.step.name.empty() ? "" : ", " + measured.step.name;
        write(streams.out, {variant.name, traces_.front() + step, compare_variants(measured), &measured,
                            error_of_plan(measured), of_profile});
    }

    void write(std::ostream& out, const ComparisonOutput& comparison) const {
        if (json_) {
            out << json_text(comparison_json(comparison)) << '\n';
        } else {
            write_comparison(out, comparison, rows_);
        }
    }

    std::string file_;
    std::vector<std::string> plans_, traces_, profiles_;
    StepSelection selection_;
    CostModelOption cost_model_;
    std::size_t rows_ = 20;
    bool contention_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare() {
    return std::make_unique<Compare>();
}

}  // namespace overlap::commands
