// overlap bound GRAPH [--pipeline PLAN] [--memory-limit LIMIT] [--json]: how short the step can be at best, and why.

#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/memory_limit.h"
#include "app/arguments/pipeline.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/bound/lower_bound.h"
#include "core/cost/shared_links.h"
#include "core/memory/device_memory.h"

namespace overlap::commands {

namespace {

class Bound final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "bound", "How short the step can be at best, whatever the plan, and how far a plan is from it.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"))->required();
        passes_.declare(*command, 0);
        cost_model_.declare(*command);
        cost_model_.declare_compilation(*command);
        command->add_option("--memory-limit", limit_, memory_limit_help)->check(memory_limit_error);
        command->add_flag("--separate-links", separate_links_,
                          "each process group of the graph has a link of its own; without it groups within a host "
                          "share one, and groups across hosts another, unless the cost model says which do");
        command->add_flag("--any-order", any_order_,
                          "the bound for plans that may change the order of heavy compute; also a memory limit is then "
                          "that of all plans");
        command->add_flag("--json", json_, "print JSON, with the whole chain");
        return command;
    }

    void run(const Streams& streams) override {
        const std::shared_ptr<const Graph> read = cost_model_.apply(read_graph(file_, streams), file_, streams);
        const std::shared_ptr<const Graph> graph =
            with_shared_links(read, separate_links_ ? LinkSharing::by_group : LinkSharing::by_host);
        const std::shared_ptr<const StepWork> work = step_work(graph);
        const std::optional<std::int64_t> limit = read_memory_limit(limit_, *graph);
        const LowerBound bound = find(*work, limit);
        const std::shared_ptr<const Evaluation> step = evaluated(graph, streams);
        const KeptWork kept = kept_work(*work, *step);
        const double step_ms = step->simulation.step_ms;
        const std::int64_t peak_bytes = step->corrected_memory.peak_bytes;
        print_memory_problem(streams, file_, *step->graph, step->corrected_memory);
        if (json_) {
            const std::optional<Problem> beyond = memory_problem(*step->graph, step->corrected_memory);
            streams.out << bound_json(bound, limit, step_ms, peak_bytes, kept,
                                      beyond ? std::span(&*beyond, 1) : std::span<const Problem>())
                        << '\n';
            return;
        }
        streams.out << "bound      " << milliseconds_text(bound.step_ms);
        // What holds in any order holds where it is kept, too.
        const std::string in_any_order = milliseconds_text(bound.order_free_ms);
        if (in_any_order != milliseconds_text(bound.step_ms))
            streams.out << " with the order of heavy compute kept, " << in_any_order;
        streams.out << " in any order\n"
                    << "step       " << milliseconds_text(step_ms) << ", " << above(bound, kept, step_ms) << '\n'
                    << "peak       " << bytes_text(peak_bytes) << ", at least " << bytes_text(bound.least_peak_bytes)
                    << " in every plan\n";
        if (limit) streams.out << "limit      " << bytes_text(*limit) << ", " << within(*limit, peak_bytes) << '\n';
        streams.out << one_line(reason(bound, kept, step->simulation)) << '\n';
    }

  private:
    /// Of the bound that holds for the plan; where none does, of the larger one.
    std::string reason(const LowerBound& bound, const KeptWork& kept, const Simulation& step) const {
        if (!kept.all) return bound.reason;
        const bool any_order = any_order_ || !kept.order;
        return bound_reason(any_order ? bound.order_free_chain : bound.chain,
                            {step.step_ms, bound.compute_ms, step.compute_ms}, any_order);
    }

    static std::string within(std::int64_t limit, std::int64_t peak_bytes) {
        if (peak_bytes <= limit) return "which the step keeps";
        return "which the step does not keep: its peak is " + bytes_text(peak_bytes - limit) + " beyond";
    }

    /// How far the step is above the bound that holds for it.
    static std::string above(const LowerBound& bound, const KeptWork& kept, double step_ms) {
        if (!kept.all)
            return "no bound holds for it, since it leaves out work: " + name_text(kept.missing, longest_sentence);
        const double least_ms = kept.order ? bound.step_ms : bound.order_free_ms;
        const std::string share = percent_text((step_ms / least_ms - 1) * 100) + " above ";
        if (kept.order) return share + "it";
        return share +
               "the bound for any order, since it computes in another one: " + name_text(kept.moved, longest_sentence);
    }

    LowerBound find(const StepWork& work, std::optional<std::int64_t> limit) const {
        try {
            if (!work.obstacle.empty() && !work.graph->header().cost)
                throw InputError("", work.obstacle, ErrorCode::no_cost_model);
            return lower_bound(work, limit, any_order_);
        } catch (const InputError& error) {
            throw with_cost_model_hint(error, file_);
        }
    }

    /// The step with the plan; without one as it is.
    std::shared_ptr<const Evaluation> evaluated(const std::shared_ptr<const Graph>& graph,
                                                const Streams& streams) const {
        if (!passes_.given()) return evaluate_baseline(graph);
        const GivenPlan given = passes_.read(*graph);
        std::shared_ptr<const Evaluation> evaluation = evaluate(graph, given.plan);
        require_run(*evaluation, given.file);
        print_problems(streams, given.file, given.notes);
        print_problems(streams, given.file, std::span(evaluation->problems).first(evaluation->plan_problems));
        return evaluation;
    }

    std::string file_, limit_;
    PipelineOption passes_;
    CostModelOption cost_model_;
    bool separate_links_ = false, any_order_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_bound() {
    return std::make_unique<Bound>();
}

}  // namespace overlap::commands
