// overlap apply GRAPH --pipeline PIPELINE | --preset PRESET -o OUT [--report REPORT]: runs passes and writes the graph
// that results.

#include <ostream>
#include <string>
#include <utility>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/pipeline.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "app/commands/step_figures.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/files/atomic_file.h"
#include "core/files/ordered_json.h"
#include "core/io/graph_file.h"
#include "core/io/report_json.h"
#include "core/memory/memory_profile.h"
#include "core/views/step_remark.h"

namespace overlap::commands {

namespace {

std::size_t member_count(const PassReport& report) {
    std::size_t count = 0;
    for (const BucketReport& bucket : report.buckets) count += bucket.members.size();
    return count;
}

/// `120 nodes added, 30 removed`, or that nothing changed.
std::string difference_text(const GraphDifference& difference) {
    std::string text;
    const auto tell = [&](const std::vector<NodeChange>& nodes, const char* what) {
        if (nodes.empty()) return;
        text += text.empty() ? counted(nodes.size(), "node") : ", " + std::to_string(nodes.size());
        text.append(" ").append(what);
    };
    tell(difference.added, "added");
    tell(difference.removed, "removed");
    tell(difference.moved, "moved");
    tell(difference.changed, "changed");
    return text.empty() ? "nothing changed" : text;
}

/// What a pass did, in words that fit its purpose.
/// @param remark step_remark(), of a step.
std::string summary_text(const PassReport& report, const GraphDifference& difference, const std::string& remark) {
    const std::string orderings = counted(report.orderings.size(), "ordering");
    if (!report.buckets.empty()) {
        return counted(member_count(report), "collective") + " in " + counted(report.buckets.size(), "bucket") + ", " +
               orderings;
    }
    if (!report.orderings.empty()) return orderings + ", " + difference_text(difference);
    if (!report.groups.empty()) {
        std::size_t moved = 0;
        for (const GroupReport& group : report.groups) moved += group.moved.size();
        return counted(moved, "collective") + " moved to " +
               (report.groups.size() == 1 ? "a new process group"
                                          : std::to_string(report.groups.size()) + " new process groups");
    }
    return difference.empty() && !remark.empty() ? remark : difference_text(difference);
}

/// A pass that ran, or the overlaps by hand.
struct Done {
    const PassReport& report;
    const GraphDifference& difference;
    std::string remark;
};

std::vector<Done> done_in(const Execution& execution) {
    std::vector<Done> done;
    for (const StepOutcome& step : execution.steps) {
        if (step.state == StepOutcome::State::ran)
            done.push_back({execution.reports[done.size()], *step.difference, step_remark(execution, step)});
    }
    const OverlapOutcome& overlaps = execution.overlaps;
    if (overlaps.modules) done.push_back({overlaps.report, *overlaps.difference, {}});
    return done;
}

/// Those that are in no report of a pass.
std::vector<Problem> problems_of_the_whole(const Execution& execution) {
    std::vector<bool> reported(execution.problems.size());
    const auto mark = [&](const std::vector<std::size_t>& problems) {
        for (const std::size_t problem : problems) reported[problem] = true;
    };
    for (const StepOutcome& step : execution.steps) mark(step.problems);
    mark(execution.overlaps.problems);
    std::vector<Problem> others;
    for (std::size_t problem = 0; problem < reported.size(); ++problem)
        if (!reported[problem]) others.push_back(execution.problems[problem]);
    return others;
}

class Apply final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand("apply", "Runs passes on a graph and writes the graph that results.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"))->required();
        passes_.declare(*command, 1);
        cost_model_.declare(*command);
        cost_model_.declare_batch(*command);
        cost_model_.declare_compilation(*command);
        writes(command->add_option("-o,--output", output_, "where to write the graph; compressed when it ends in .gz"))
            ->required();
        writes(command->add_option("--report", report_file_, "write what each pass did, as JSON"));
        command->add_flag("--json", json_, "print the figures as JSON");
        return command;
    }

    void run(const Streams& streams) override {
        const std::shared_ptr<const Graph> as_read = read_graph(file_, streams);
        const std::shared_ptr<const Graph> graph = cost_model_.apply(as_read, file_, streams);
        const GivenPlan given = passes_.read(*graph, *as_read);
        const Execution result = run_with_hint(graph, given);
        print_problems(streams, given.file, given.notes);
        print_problems(streams, given.file, result.problems);
        steps_ = {known_step_figures(*graph), known_step_figures(*result.graph)};
        if (steps_.after)
            print_problems(streams, file_, steps_.after->problems);
        else
            print_memory_problem(streams, file_, *result.graph, memory_profile(*result.graph, StorageRule::corrected));
        // The report first: when one of the two cannot be written, the graph is not written without it.
        if (!report_file_.empty()) write_file_atomically(report_file_, json_text(report(*graph, given, result)) + '\n');
        write_graph_file(*result.graph, output_);
        if (json_) {
            streams.out << json_text(figures(*graph, result)) << '\n';
        } else {
            print_figures(streams.out, *graph, result);
        }
    }

  private:
    Execution run_with_hint(const std::shared_ptr<const Graph>& graph, const GivenPlan& given) const {
        try {
            return run_plan(graph, given);
        } catch (const InputError& error) {
            throw with_cost_model_hint(error, file_);
        }
    }

    Json report(const Graph& graph, const GivenPlan& given, const Execution& result) const {
        Json problems = Json::array();
        for (const Problem& each : given.notes) problems.push_back(problem_json(each));
        for (const Problem& each : problems_of_the_whole(result)) problems.push_back(problem_json(each));
        Json passes = Json::array();
        for (const Done& each : done_in(result)) passes.push_back(report_json(each.report));
        return {{"format", "overlap-report"},
                {"version", 2},
                {"graph", graph.header().name},
                {"nodes_before", graph.node_count()},
                {"problems", std::move(problems)},
                {"passes", std::move(passes)},
                {"nodes_after", result.graph->node_count()},
                {"step_before", step_json(steps_.before)},
                {"step_after", step_json(steps_.after)}};
    }

    Json figures(const Graph& graph, const Execution& result) const {
        Json passes = Json::array();
        for (const auto& [each, difference, remark] : done_in(result)) {
            passes.push_back({{"pass", each.pass},
                              {"buckets", each.buckets.size()},
                              {"bucketed_collectives", member_count(each)},
                              {"orderings", each.orderings.size()},
                              {"problems", each.problems.size()}});
        }
        return {{"output", output_},
                {"nodes_before", graph.node_count()},
                {"nodes_after", result.graph->node_count()},
                {"step_before", step_json(steps_.before)},
                {"step_after", step_json(steps_.after)},
                {"passes", std::move(passes)}};
    }

    void print_figures(std::ostream& out, const Graph& graph, const Execution& result) const {
        for (const auto& [report, difference, remark] : done_in(result))
            out << report.pass << ": " << summary_text(report, difference, remark) << '\n';
        out << output_ << ": " << counted(result.graph->node_count(), "node") << " (" << graph.node_count()
            << " before)\n";
        if (!steps_.before || !steps_.after) return;
        const auto [before, after] = std::pair(*steps_.before, *steps_.after);
        out << "step " << milliseconds_text(after.step_ms) << " (" << milliseconds_text(before.step_ms)
            << " before), exposed " << milliseconds_text(after.exposed_ms) << " ("
            << milliseconds_text(before.exposed_ms) << "), peak memory " << bytes_text(after.peak_memory_bytes) << " ("
            << bytes_text(before.peak_memory_bytes) << ")\n";
    }

    std::string file_, output_, report_file_;
    PipelineOption passes_;
    CostModelOption cost_model_;
    struct {
        std::optional<StepFigures> before, after;
    } steps_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_apply() {
    return std::make_unique<Apply>();
}

}  // namespace overlap::commands
