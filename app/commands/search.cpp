// overlap search GRAPH [--from PLAN] [--memory-limit LIMIT] [--effort N] -o PLAN [--report REPORT] [--front CSV]: a
// plan with a short step, and how far it is from the best there can be.

#include <array>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/interrupt.h"
#include "app/arguments/memory_limit.h"
#include "app/arguments/number_range.h"
#include "app/arguments/pipeline.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/times_apart.h"
#include "core/base/wording.h"
#include "core/cost/shared_links.h"
#include "core/files/atomic_file.h"
#include "core/io/plan/plan_file.h"
#include "core/memory/device_memory.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"
#include "core/plan/plan_difference.h"
#include "core/search/plan_search.h"
#include "core/search/search_report.h"
#include "core/search/start_plan.h"

namespace overlap::commands {

namespace {

/// Why a text is no lock; empty where it is one. The error's place is the option, which who asks names already.
std::string lock_error(const std::string& text) {
    try {
        check_lock(text);
    } catch (const InputError& error) {
        return error.problem();
    }
    return {};
}

class Search final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "search", "Finds a plan with a short step, and says how far it is from the best there can be.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"))->required();
        reads(command->add_option("--from", from_, "a plan to start from, beside presets and the automatic pass"));
        command->add_option("--lock", locks_, std::string(lock_help))
            ->check(lock_error)
            ->allow_extra_args(false)
            ->needs("--from");
        cost_model_.declare(*command);
        cost_model_.declare_compilation(*command);
        command->add_option("--memory-limit", limit_, memory_limit_help)->check(memory_limit_error);
        command
            ->add_option("--effort", options_.effort,
                         "how many plans are evaluated at most to find one; shortening it takes up to a sixth more, or "
                         "eight, and what its parts are worth one for each")
            ->check(whole_number_from(1, 10'000'000))
            ->capture_default_str();
        command->add_option("--threads", options_.threads, "default: one for each processor; the result is the same")
            ->check(whole_number_from(1, 1024));
        command->add_option("--seed", options_.seed, "of what is tried at random")
            ->check(whole_number_from(0, 4'294'967'295))
            ->capture_default_str();
        command->add_flag("--separate-links", separate_links_,
                          "each process group of the graph has a link of its own; without it groups within a host "
                          "share one, and groups across hosts another, unless the cost model says which do");
        command->add_flag("--any-order", options_.any_order,
                          "plans may change the order of heavy compute; the bound is then the one for any order");
        writes(command->add_option("-o,--output", plan_file_, "the plan to write"))->required();
        writes(command->add_option("--report", report_file_, "write what was found and tried, as JSON"));
        writes(command->add_option("--front", front_file_, "write step against peak memory, as CSV"));
        return command;
    }

    void run(const Streams& streams) override {
        const std::shared_ptr<const Graph> read = cost_model_.apply(read_graph(file_, streams), file_, streams);
        const std::shared_ptr<const Graph> graph =
            with_shared_links(read, separate_links_ ? LinkSharing::by_group : LinkSharing::by_host);
        options_.memory_limit = read_memory_limit(limit_, *graph);
        if (!from_.empty()) {
            options_.from = read_plan_or_passes(from_, *graph);
            print_problems_of(*options_.from, graph, streams);
        }
        for (const std::string& lock : locks_) add_lock(options_.locks, lock, *options_.from);
        options_.progress = [&](const SearchProgress& progress) { print(streams, progress); };
        const Interruption interruption;
        options_.stop = interruption.token();
        SearchResult result = search(graph);
        const std::shared_ptr<const Evaluation> simulated = evaluate(read, result.best.plan);
        const double simulated_ms = simulated->simulation.step_ms;
        result.best.plan = found_plan(result, simulated_ms);
        write_plan_file(result.best.plan, plan_file_);
        print_memory_problem(streams, plan_file_, *simulated->graph, simulated->corrected_memory);
        if (!report_file_.empty()) {
            const std::optional<Problem> beyond = memory_problem(*simulated->graph, simulated->corrected_memory);
            const std::span<const Problem> problems = beyond ? std::span(&*beyond, 1) : std::span<const Problem>();
            write_file_atomically(report_file_, search_report_json(result, simulated_ms, problems) + '\n');
        }
        if (!front_file_.empty()) write_file_atomically(front_file_, search_front_csv(result));
        print(streams, result, simulated_ms);
        if (!result.locked.empty())
            streams.out << "kept as " << in_quotes(from_) << " has it: " << one_line(enumerated(result.locked)) << '\n';
        if (!result.groups_left_out.empty())
            streams.out << "settings of process groups that the plan does not make are left out: "
                        << one_line(enumerated(result.groups_left_out)) << '\n';
        if (options_.from)
            streams.out << "what changes from " << in_quotes(from_) << ": "
                        << describe(plan_difference(*options_.from, result.best.plan)) << '\n';
    }

  private:
    SearchResult search(const std::shared_ptr<const Graph>& graph) const {
        try {
            return search_plans(graph, options_);
        } catch (const StartPlanError& error) {
            throw error.in_file(from_);
        } catch (const InputError& error) {
            throw with_cost_model_hint(error, file_);
        }
    }

    /// What is remarkable about the plan that is started from; the search itself says why one is refused.
    void print_problems_of(const Plan& plan, const std::shared_ptr<const Graph>& graph, const Streams& streams) const {
        const std::shared_ptr<const Evaluation> evaluation = evaluate(graph, plan);
        if (evaluation->refused) return;
        print_problems(streams, from_, std::span(evaluation->problems).first(evaluation->plan_problems));
    }

    static void print(const Streams& streams, const SearchProgress& progress) {
        streams.notes << "overlap: " << progress.evaluations << " of " << progress.effort << " plans";
        if (progress.best_ms > 0) {
            streams.notes << ", best " << milliseconds_text(progress.best_ms) << ", "
                          << percent_text((progress.best_ms / progress.bound_ms - 1) * 100) << " above the bound ("
                          << one_line(progress.origin) << ')';
        }
        streams.notes << '\n';
    }

    void print(const Streams& streams, const SearchResult& result, double simulated_ms) const {
        TextTable table({"plan", "step", "above bound", "peak memory"});
        std::string refused;  // below the table, whose columns a reason would widen
        const auto add = [&](const std::string& name, const Candidate& candidate) {
            if (!candidate.usable()) {
                table.add({name_text(name), "refused", "", ""});
                refused.append(name_text(name))
                    .append(" is refused: ")
                    .append(one_line(candidate.refusal))
                    .append("\n");
                return;
            }
            const std::string above = percent_text((candidate.step_ms / result.bound.step_ms - 1) * 100);
            table.add({name_text(name), milliseconds_text(candidate.step_ms), above,
                       bytes_text(candidate.corrected_peak_bytes)});
        };
        for (const Candidate& baseline : result.baselines) add(baseline.origin, baseline);
        add("found", result.best);
        table.add({"bound", milliseconds_text(result.bound.step_ms), "", ""});
        table.write(streams.out, "");
        streams.out << refused
                    << one_line(bound_reason(result.bound.chain,
                                             {result.best.step_ms, result.bound.compute_ms, result.best.compute_ms},
                                             options_.any_order))
                    << '\n'
                    << end_text(result, options_.effort) << "; the best comes from: " << one_line(result.best.origin)
                    << '\n';
        if (result.best.changes_order) streams.out << "it changes the order of heavy compute, as --any-order permits\n";
        const std::array<double, 2> steps{result.shortest_ms, result.best.step_ms};
        if (result.shortest_ms < result.best.step_ms)
            streams.out << "the fastest, " << times_apart(steps).front() << ", is shorter by less than "
                        << percent_text(alike_share * 100)
                        << ", and takes more memory, has more parts, or gains less where costs differ\n";
        if (simulated_ms != result.best.step_ms)
            streams.out << "process groups share links here; overlap simulate, where the graph's cost model does not "
                           "say so, has a step of "
                        << milliseconds_text(simulated_ms) << '\n';
    }

    std::vector<std::string> locks_;
    std::string file_, from_, limit_, plan_file_, report_file_, front_file_;
    CostModelOption cost_model_;
    SearchOptions options_;
    bool separate_links_ = false;
};

}  // namespace

std::unique_ptr<Command> make_search() {
    return std::make_unique<Search>();
}

}  // namespace overlap::commands
