#include "core/pipeline/evaluation.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/passes/registry/registry.h"
#include "core/pipeline/bucket_marks.h"
#include "core/pipeline/plan_overlaps.h"
#include "core/plan/process_groups_field.h"
#include "core/redistribution/device_orders.h"

namespace overlap {

namespace {

using Clock = std::chrono::steady_clock;

/// Exposed collectives that are worth a line among the problems: the worst few, if they matter to the step.
constexpr std::size_t exposed_told = 3;
constexpr double exposed_share = 0.001;

double milliseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

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
Problem unknown_times(const InputError& error) {
    Problem problem = problem_of(error, ProblemKind::no_times, "times unknown");
    problem.severity = Severity::caution;
    problem.message += ": figures of time are not known until a cost model is chosen";
    problem.fix = "choose cost model";
    return problem;
}

class Evaluator {
  public:
    Evaluator(const std::shared_ptr<const Graph>& graph, std::stop_token stop,
              std::shared_ptr<const TimeSource> time_source)
        : begin_(Clock::now()), stop_(std::move(stop)), result_(std::make_shared<Evaluation>()) {
        result_->original = result_->input = graph;
        result_->time_source = std::move(time_source);
        reset_to_input();
    }

    std::shared_ptr<const Evaluation> with_plan(const Plan& plan) {
        if (!plan.module_rules.empty()) {
            result_->repaired = repair_modules(result_->original, plan.module_rules);
            result_->input = result_->repaired->graph;
            reset_to_input();
        }
        const Graph& input = *result_->input;
        plan_ = &plan;
        const ModuleTree tree(input, module_source(plan, input));
        result_->problems = check_buckets(input, tree, plan.buckets);
        if (result_->repaired) {
            for (Problem& problem : check_module_rules(plan.module_rules, *result_->repaired))
                result_->problems.push_back(std::move(problem));
        }
        for (Problem& problem : check_device_orders(input, plan)) result_->problems.push_back(std::move(problem));
        for (Problem& problem : check_unevaluated(plan)) result_->problems.push_back(std::move(problem));
        if (!run_pipeline(plan)) return nullptr;
        direct(plan);
        check_groups(plan);
        if (!measure()) return nullptr;
        assign_entries(tree, plan.buckets);
        return finish();
    }

    std::shared_ptr<const Evaluation> without_plan() { return measure() ? finish() : nullptr; }

  private:
    void reset_to_input() {
        result_->graph = result_->undirected = result_->input;
        result_->origin.resize(result_->input->node_count());
        std::iota(result_->origin.begin(), result_->origin.end(), NodeId{0});
        result_->bucket_of_node.assign(result_->input->node_count(), -1);
    }

    /// @returns false when stopped.
    bool run_pipeline(const Plan& plan) {
        for (const PassStep& step : plan.pipeline) {
            StepOutcome outcome;
            outcome.pass = step.pass;
            if (!step.enabled) outcome.state = StepOutcome::State::switched_off;
            result_->steps.push_back(std::move(outcome));
        }
        for (std::size_t index = 0; index < plan.pipeline.size(); ++index) {
            if (stop_.stop_requested()) return false;
            if (!plan.pipeline[index].enabled) continue;
            const PassStep step = lower(plan, plan.pipeline[index]);
            StepOutcome& outcome = result_->steps[index];
            try {
                const Pass& pass = require_pass(step.pass);
                check_options(pass, step.options);
                const Clock::time_point begin = Clock::now();
                PassResult result = pass.run(result_->graph, step.options, stop_);
                if (!result.graph) return false;
                outcome.run_ms = milliseconds_since(begin);
                take(std::move(result), step.options != plan.pipeline[index].options, outcome);
            } catch (const InputError& error) {
                outcome.state = StepOutcome::State::refused;
                outcome.refusal = error.what();
                refuse(error);
                return true;
            }
        }
        return true;
    }

    /// What a refused plan would have made is not missed.
    void check_groups(const Plan& plan) {
        if (result_->refused) return;
        const Json process_groups = plan.unevaluated.value("process_groups", Json::array());
        for (Problem& problem : check_group_names(process_groups, *result_->graph))
            result_->problems.push_back(std::move(problem));
    }

    /// @param of_plan: the pass's entries are the plan's.
    void take(PassResult result, bool of_plan, StepOutcome& outcome) {
        outcome.state = StepOutcome::State::ran;
        outcome.difference = graph_difference(*result_->graph, *result.graph, result.origin);
        for (std::size_t problem = 0; problem < result.report.problems.size(); ++problem) {
            outcome.problems.push_back(result_->problems.size() + problem);
        }
        std::vector<std::int32_t> marks = carry_bucket_marks(result_->bucket_of_node, result.origin);
        if (of_plan) mark_buckets(*result.graph, result.origin, result.report, marks);
        adopt(result, std::move(marks));
        result_->reports.push_back(std::move(result.report));
    }

    /// Goes on with a rewritten graph, whose nodes belong to the buckets that `marks` says.
    void adopt(PassResult& result, std::vector<std::int32_t> marks) {
        result_->bucket_of_node = std::move(marks);
        for (NodeId& origin : result.origin) {
            if (origin != no_node) origin = result_->origin[origin];
        }
        result_->graph = std::move(result.graph);
        result_->origin = std::move(result.origin);
        result_->problems.insert(result_->problems.end(), result.report.problems.begin(), result.report.problems.end());
    }

    /// Overlaps by hand. One that cannot hold is told and left out.
    void direct(const Plan& plan) {
        result_->undirected = result_->graph;
        if (plan.overlaps.list.empty() || result_->refused) return;
        OverlapOutcome& outcome = result_->overlaps;
        try {
            const Clock::time_point begin = Clock::now();
            DirectedGraph directed =
                apply_overlaps(result_->graph, result_->reports, plan.overlaps, module_source(plan, *result_->input));
            outcome.run_ms = milliseconds_since(begin);
            outcome.directives = std::move(directed.outcomes);
            outcome.difference = graph_difference(*result_->graph, *directed.result.graph, directed.result.origin);
            adopt(directed.result, carry_bucket_marks(result_->bucket_of_node, directed.result.origin));
        } catch (const InputError& error) {
            refuse(error);
        }
        for (Problem& problem : refused_overlaps(plan.overlaps, outcome.directives))
            result_->problems.push_back(std::move(problem));
    }

    void assign_entries(const ModuleTree& tree, const std::vector<BucketEntry>& buckets) {
        std::vector<std::int32_t> of_input(result_->input->node_count(), -1);
        for (std::size_t entry = 0; entry < buckets.size(); ++entry) {
            for (const std::string& module : buckets[entry].modules) {
                for (const NodeId node : tree.nodes(module)) {
                    if (of_input[node] < 0) of_input[node] = static_cast<std::int32_t>(entry);  // as everywhere
                }
            }
        }
        for (std::size_t node = 0; node < result_->entry_of_node.size(); ++node) {
            const NodeId origin = result_->origin[node];
            const std::int32_t bucket = result_->bucket_of_node[node];
            result_->entry_of_node[node] = bucket < 0 && origin != no_node ? of_input[origin] : bucket;
        }
    }

    void refuse(const InputError& error) {
        result_->refused = true;
        result_->overlaps = {};
        reset_to_input();
        // That entries overlap has been said already, and better.
        const bool told = std::any_of(result_->problems.begin(), result_->problems.end(), [](const Problem& problem) {
            return problem.kind == ProblemKind::overlapping_entries;
        });
        if (!told) result_->problems.push_back(problem_of(error, ProblemKind::refused, "plan refused"));
    }

    /// Times, simulation and memory. @returns false when stopped.
    bool measure() {
        Evaluation& result = *result_;
        try {
            SourcedTimes times = sourced_times(*result.graph, result.time_source.get());
            result.times_ms = std::move(times.times_ms);
            result.sourced_collectives = times.collectives;
            result.sourced_operators = times.operators;
        } catch (const InputError& error) {
            result.times_known = false;
            result.problems.push_back(unknown_times(error));
            result.times_ms.assign(result.graph->node_count(), 0);
        }
        if (stop_.stop_requested()) return false;
        run_streams();
        if (stop_.stop_requested()) return false;
        result.memory = memory_profile(*result.graph, StorageRule::reference);
        if (stop_.stop_requested()) return false;
        result.corrected_memory = memory_profile(*result.graph, StorageRule::corrected);
        if (stop_.stop_requested()) return false;
        result.entry_of_node.assign(result.graph->node_count(), -1);
        if (!result.refused) report_exposed();  // the figures of a refused plan are those of the input
        return true;
    }

    /// A cost model that lacks factors of contention costs the figures nothing but those.
    void run_streams() {
        Evaluation& result = *result_;
        SourcedSimulation sourced;
        try {
            sourced = sourced_simulation(*result.graph, result.times_ms, result.time_source.get(), stop_);
        } catch (const InputError& error) {
            result.problems.push_back(problem_of(error, ProblemKind::no_contention, "contention unknown"));
            sourced = sourced_simulation(*result.graph, result.times_ms, nullptr, stop_);
        }
        result.simulation = std::move(sourced.simulation);
        result.contention = std::move(sourced.contention);
    }

    void report_exposed() {
        const Simulation& simulation = result_->simulation;
        std::vector<std::size_t> worst;
        for (std::size_t index = 0; index < simulation.collectives.size(); ++index) {
            if (simulation.collectives[index].exposed_ms > exposed_share * simulation.step_ms) worst.push_back(index);
        }
        const auto more_exposed = [&](std::size_t left, std::size_t right) {
            return simulation.collectives[left].exposed_ms > simulation.collectives[right].exposed_ms;
        };
        std::stable_sort(worst.begin(), worst.end(), more_exposed);
        worst.resize(std::min(worst.size(), exposed_told));
        for (const std::size_t index : worst) {
            const CollectiveTiming& timing = simulation.collectives[index];
            Problem problem;
            problem.severity = Severity::caution;
            problem.kind = ProblemKind::exposed;
            problem.title = "exposed " + time_text(timing.exposed_ms);
            problem.nodes = {std::string(result_->graph->name(timing.start))};
            problem.plan_entry = result_->bucket_of_node[timing.start];
            const std::string bucket = problem.plan_entry < 0
                                           ? ""
                                           : display_name(plan_->buckets[static_cast<std::size_t>(problem.plan_entry)]);
            problem.message = (bucket.empty() ? "" : bucket + ", ") + problem.nodes[0] + ": " +
                              simulation.explain(*result_->graph, index);
            result_->problems.push_back(std::move(problem));
        }
    }

    std::shared_ptr<const Evaluation> finish() {
        result_->evaluate_ms = milliseconds_since(begin_);
        return result_;
    }

    Clock::time_point begin_;
    std::stop_token stop_;
    const Plan* plan_ = nullptr;  ///< none for the baseline, which has no buckets either
    std::shared_ptr<Evaluation> result_;
};

}  // namespace

std::shared_ptr<const Evaluation> evaluate(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                           std::stop_token stop, std::shared_ptr<const TimeSource> time_source) {
    return Evaluator(graph, std::move(stop), std::move(time_source)).with_plan(plan);
}

std::shared_ptr<const Evaluation> evaluate_baseline(const std::shared_ptr<const Graph>& graph, std::stop_token stop,
                                                    std::shared_ptr<const TimeSource> time_source) {
    return Evaluator(graph, std::move(stop), std::move(time_source)).without_plan();
}

}  // namespace overlap
