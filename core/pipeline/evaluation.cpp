#include "core/pipeline/evaluation.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/cost/checked_runs.h"
#include "core/cost/control_deps.h"
#include "core/memory/device_memory.h"
#include "core/pipeline/evaluation_progress.h"
#include "core/pipeline/exposed_problems.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/predict/checked_range.h"

namespace overlap {

namespace {

using Clock = std::chrono::steady_clock;

Problem problem_of(const InputError& error, ProblemKind kind, std::string title) {
    Problem problem;
    problem.severity = Severity::error;
    problem.kind = kind;
    problem.title = std::move(title);
    problem.message = error.what();
    problem.error = error.code();
    return problem;
}

/// Plans can be made, run and exported to a job without times; figures cannot.
Problem unknown_times(const InputError& error, const Graph& graph) {
    Problem problem = problem_of(error, ProblemKind::no_times, "Times unknown");
    problem.severity = Severity::caution;
    problem.message += graph.header().cost ? ": figures of time are not known with this cost model"
                                           : ": figures of time are not known until a cost model is chosen";
    problem.fix = "choose cost model";
    return problem;
}

class Evaluator {
  public:
    Evaluator(std::stop_token stop, std::shared_ptr<const TimeSource> time_source,
              std::shared_ptr<PassResultCache> cache, EvaluationProgressCall progress = {})
        : begin_(Clock::now()),
          stop_(std::move(stop)),
          result_(std::make_shared<Evaluation>()),
          progress_(std::move(progress)) {
        result_->time_source = std::move(time_source);
        result_->cache = std::move(cache);
    }

    std::shared_ptr<const Evaluation> with_plan(const std::shared_ptr<const Graph>& graph, const Plan& plan) {
        std::shared_ptr<const ResolvedPlan> resolved = resolve(graph, plan);
        parts_of_plan_ = resolved->steps.size() + (resolved->plan.overlaps.list.empty() ? 0 : 1);
        std::optional<Execution> execution =
            execute_telling(std::move(resolved), {.stop = stop_, .cache = result_->cache},
                            [this](std::size_t index, const std::string& part) { tell(index, part); });
        return execution ? with(std::move(*execution)) : nullptr;
    }

    std::shared_ptr<const Evaluation> with(Execution execution) {
        static_cast<Execution&>(*result_) = std::move(execution);
        if (!result_->time_source) result_->time_source = own_time_source(*result_->original);
        result_->plan_problems = result_->problems.size();
        if (!measure()) return nullptr;
        assign_entries();
        tell(parts_of_plan_ + 2, "");
        result_->evaluate_ms = milliseconds_since(begin_);
        return result_;
    }

  private:
    /// Behind the plan's parts come simulation and memory.
    void tell(std::size_t done, const std::string& part) const {
        if (progress_) progress_({part, done, parts_of_plan_ + 2});
    }

    void assign_entries() {
        result_->entry_of_node = result_->bucket_of_node;
        if (!result_->resolved) return;
        for (std::size_t node = 0; node < result_->entry_of_node.size(); ++node) {
            const NodeId origin = result_->origin[node];
            std::int32_t& entry = result_->entry_of_node[node];
            if (entry < 0 && origin != no_node) entry = result_->resolved->entry_of_node[origin];
        }
    }

    /// Times, simulation and memory. @returns false when stopped.
    bool measure() {
        Evaluation& result = *result_;
        tell(parts_of_plan_, "simulation");
        try {
            SourcedTimes times = sourced_times(*result.graph, result.time_source.get());
            result.times_ms = std::move(times.times_ms);
            result.sourced_collectives = times.collectives;
            result.sourced_operators = times.operators;
        } catch (const InputError& error) {
            result.times_known = false;
            result.problems.push_back(unknown_times(error, *result.graph));
            result.times_ms.assign(result.graph->node_count(), 0);
        }
        if (stop_.stop_requested()) return false;
        run_streams();
        if (stop_.stop_requested()) return false;
        tell(parts_of_plan_ + 1, "memory");
        result.memory = memory_profile(*result.graph, StorageRule::reference);
        if (stop_.stop_requested()) return false;
        result.corrected_memory = memory_profile(*result.graph, StorageRule::corrected);
        if (stop_.stop_requested()) return false;
        report_outside_checked_runs();
        report_unshared_links();
        if (stop_.stop_requested()) return false;
        if (result.refused) return true;  // its figures are those of the input
        report_later_moves();
        if (std::optional<Problem> problem = memory_problem(*result.graph, result.corrected_memory))
            result.problems.push_back(std::move(*problem));
        if (std::optional<Problem> problem = uncounted_results_problem(*result.graph))
            result.problems.push_back(std::move(*problem));
        if (std::optional<Problem> problem = unknown_sizes_problem(*result.graph))
            result.problems.push_back(std::move(*problem));
        if (std::optional<Problem> problem = memory_on_cpu_problem(*result.graph))
            result.problems.push_back(std::move(*problem));
        for (Problem& problem : exposed_problems(result)) result.problems.push_back(std::move(problem));
        return true;
    }

    /// A cost model without factors of contention makes only those figures unavailable.
    void run_streams() {
        Evaluation& result = *result_;
        SourcedSimulation sourced;
        try {
            sourced = sourced_simulation(*result.graph, result.times_ms, result.time_source.get(), {}, stop_);
        } catch (const InputError& error) {
            result.problems.push_back(problem_of(error, ProblemKind::no_contention, "Contention unknown"));
            sourced = sourced_simulation(*result.graph, result.times_ms, nullptr, {}, stop_);
        }
        result.simulation = std::move(sourced.simulation);
        result.contention = std::move(sourced.contention);
    }

    void report_unshared_links() {
        Evaluation& result = *result_;
        if (!result.times_known) return;
        result.on_shared_links = shared_links_like(result, *result.graph, result.times_ms, result.simulation, stop_);
        if (result.on_shared_links)
            result.problems.push_back(unshared_links_problem(*result.on_shared_links, result.simulation.step_ms));
    }

    void report_outside_checked_runs() {
        const Evaluation& result = *result_;
        const TimeSource* source = result.time_source.get();
        const std::optional<CostParameters>& cost = result.original->header().cost;
        const std::optional<CheckedRuns> checked = cost ? checked_runs(*cost) : std::nullopt;
        // Which runs a user's own model was compared with is words, which say no range.
        if (!checked || !checked->built_in || (source && source->measured())) return;
        std::string differences;
        for (const std::string& clause :
             overlap::outside_checked_runs(*result.original, source ? source->compilation : std::nullopt))
            differences += (differences.empty() ? "" : "; ") + clause;
        if (differences.empty()) return;
        Problem problem;
        problem.kind = ProblemKind::outside_checked_runs;
        problem.title = "Outside checked runs";
        problem.message = "predictions with " + cost->model_name + " were compared with " + checked->with +
                          ", and may be off by more here: " + differences;
        result_->problems.push_back(std::move(problem));
    }

    /// Inductor's scheduler moves collectives once more when it has lowered a graph (torch/_inductor/scheduler.py), by
    /// kernels and buffers that a graph does not show.
    void report_later_moves() {
        const Evaluation& result = *result_;
        const TimeSource* source = result.time_source.get();
        const bool is_whole = source && source->compilation && source->compilation->scope == CompiledScope::whole;
        if (!is_whole || !result.resolved || result.simulation.collectives.empty()) return;
        // What overlap scheduling ties together by control_deps stays where it is.
        for (NodeId node = 0; node < result.graph->node_count(); ++node)
            if (is_control_deps(*result.graph, node)) return;
        Problem problem;
        problem.kind = ProblemKind::moved_again;
        problem.title = "Moved again later";
        problem.message =
            "a job that compiles the whole graph moves collectives earlier and waits later once more, after lowering, "
            "where no memory is lost by it; this cannot be seen in a graph, so the job may hide more than is shown "
            "here; torch._inductor.config.aten_distributed_optimizations.enable_simple_overlap = False switches it "
            "off, and "
            "keeps the order of the plan";
        result_->problems.push_back(std::move(problem));
    }

    Clock::time_point begin_;
    std::stop_token stop_;
    std::shared_ptr<Evaluation> result_;
    EvaluationProgressCall progress_;
    std::size_t parts_of_plan_ = 0;
};

}  // namespace

std::shared_ptr<const Evaluation> evaluate(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                           std::stop_token stop, std::shared_ptr<const TimeSource> time_source,
                                           std::shared_ptr<PassResultCache> cache) {
    return Evaluator(std::move(stop), std::move(time_source), std::move(cache)).with_plan(graph, plan);
}

std::shared_ptr<const Evaluation> evaluate_telling(const std::shared_ptr<const Graph>& graph, const Plan* plan,
                                                   EvaluationProgressCall progress, std::stop_token stop,
                                                   std::shared_ptr<const TimeSource> time_source) {
    auto cache = plan ? nullptr : std::make_shared<PassResultCache>();
    Evaluator evaluator(std::move(stop), std::move(time_source), std::move(cache), std::move(progress));
    return plan ? evaluator.with_plan(graph, *plan) : evaluator.with(without_plan(graph));
}

std::shared_ptr<const Evaluation> evaluate_like(const Evaluation& evaluation, const Plan& plan, std::stop_token stop) {
    return evaluate(evaluation.original, plan, std::move(stop), evaluation.time_source, evaluation.cache);
}

std::shared_ptr<const Evaluation> evaluate_baseline(const std::shared_ptr<const Graph>& graph, std::stop_token stop,
                                                    std::shared_ptr<const TimeSource> time_source) {
    return Evaluator(std::move(stop), std::move(time_source), std::make_shared<PassResultCache>())
        .with(without_plan(graph));
}

Simulation simulated_like(const Evaluation& evaluation, const Graph& graph, std::span<const double> times_ms,
                          std::stop_token stop) {
    return sourced_simulation(graph, times_ms, applied_source(evaluation), {}, std::move(stop)).simulation;
}

}  // namespace overlap
