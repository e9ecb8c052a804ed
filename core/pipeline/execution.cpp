#include "core/pipeline/execution.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/base/elapsed.h"
#include "core/passes/experts/joined_gradient.h"
#include "core/passes/hazards.h"
#include "core/passes/registry/registry.h"
#include "core/pipeline/bucket_marks.h"
#include "core/pipeline/evaluation_progress.h"
#include "core/pipeline/plan_overlaps.h"
#include "core/pipeline/step_problems.h"
#include "core/plan/process_groups_field.h"

namespace overlap {

namespace {

using Clock = std::chrono::steady_clock;

std::string joined_gradient_fix() {
    return "set " + std::string(JoinedGradientRefusal::option) + " to false";
}

Problem refusal_problem(const InputError& error, std::string fix) {
    Problem problem;
    problem.severity = Severity::error;
    problem.kind = ProblemKind::refused;
    problem.title = "Plan refused";
    problem.message = error.what();
    problem.fix = std::move(fix);
    return problem;
}

void reset_to_input(Execution& execution) {
    execution.graph = execution.undirected = execution.input;
    execution.origin.resize(execution.input->node_count());
    std::iota(execution.origin.begin(), execution.origin.end(), NodeId{0});
    execution.bucket_of_node.assign(execution.input->node_count(), -1);
}

class Executor {
  public:
    Executor(std::shared_ptr<const ResolvedPlan> resolved, ExecutionOptions options,
             std::function<void(std::size_t, const std::string&)> begins)
        : resolved_(*resolved), options_(std::move(options)), begins_(std::move(begins)) {
        result_.resolved = std::move(resolved);
        result_.original = resolved_.original;
        result_.input = resolved_.input;
        result_.repaired = resolved_.repaired;
        result_.problems = resolved_.problems;
        reset_to_input(result_);
        for (const PassStep& step : resolved_.plan.pipeline) {
            StepOutcome& outcome = result_.steps.emplace_back();
            outcome.pass = step.pass;
            if (!step.enabled) outcome.state = StepOutcome::State::switched_off;
        }
    }

    std::optional<Execution> run() {
        if (resolved_.plan.memory) {
            if (const std::string reason = memory_section_refusal(*resolved_.input); !reason.empty())
                refuse(InputError("memory", reason), InputError(options_.plan_file, "memory", reason));
        }
        for (std::size_t step = 0; step < resolved_.steps.size() && !result_.refused; ++step) {
            if (options_.stop.stop_requested() || !run_step(step)) return std::nullopt;
        }
        result_.undirected = result_.graph;
        if (!result_.refused && !resolved_.plan.overlaps.list.empty()) apply_overlaps_by_hand();
        // The result of a refused plan is not needed.
        if (!result_.refused) {
            add_reads_before_fill();
            add_missing_groups();
        }
        return std::move(result_);
    }

  private:
    /// @returns false when stopped.
    bool run_step(std::size_t index) {
        const PassStep& step = resolved_.steps[index].step;
        if (begins_) begins_(index, step.pass);
        bool options_are_good = false;
        try {
            const Pass& pass = require_pass(step.pass);
            check_options(pass, step.options);
            options_are_good = true;
            const std::shared_ptr<const KnownPassResult> known = result_of(pass, step);
            if (!known) return false;
            outcome_of(index).run_ms = known->run_ms;
            take(index, known->result);
        } catch (const JoinedGradientRefusal& refusal) {
            refuse_step(index, refusal, in_step(index, refusal), joined_gradient_fix());
        } catch (const PassRefusal& refusal) {
            const PassRefusal told = naming_entries(index, refusal);
            refuse_step(index, told, in_step(index, told));
        } catch (const InputError& error) {
            refuse_step(index, error, options_are_good ? in_plan(error) : in_step(index, error));
        }
        return true;
    }

    /// @returns null when stopped.
    std::shared_ptr<const KnownPassResult> result_of(const Pass& pass, const PassStep& step) const {
        if (options_.cache) {
            if (auto known = options_.cache->find(result_.graph, step)) return known;
        }
        const Clock::time_point begin = Clock::now();
        KnownPassResult made{result_.graph, step, pass.run(result_.graph, step.options, options_.stop)};
        if (!made.result.graph) return nullptr;
        made.run_ms = milliseconds_since(begin);
        return options_.cache ? options_.cache->keep(std::move(made))
                              : std::make_shared<const KnownPassResult>(std::move(made));
    }

    StepOutcome& outcome_of(std::size_t step) { return result_.steps[resolved_.steps[step].index]; }

    void take(std::size_t index, const PassResult& result) {
        const ResolvedStep& step = resolved_.steps[index];
        StepOutcome& outcome = outcome_of(index);
        outcome.state = StepOutcome::State::ran;
        outcome.given = result_.graph;
        outcome.difference = {result_.graph, result.graph, result.origin};
        PassReport& report = result_.reports.emplace_back(result.report);
        add_step_problems(resolved_, step, result_.graph, report);
        outcome.problems = list_step_problems(resolved_, step, report, result_.problems);
        std::vector<std::int32_t> marks = carry_bucket_marks(result_.bucket_of_node, result.origin);
        if (step.of_plan) mark_buckets(*result.graph, result.origin, report, marks);
        adopt(result, std::move(marks));
    }

    /// Continues with a rewritten graph, whose nodes belong to the buckets that `marks` says.
    void adopt(const PassResult& result, std::vector<std::int32_t> marks) {
        result_.bucket_of_node = std::move(marks);
        std::vector<NodeId> origin(result.origin.size());
        std::ranges::transform(result.origin, origin.begin(),
                               [&](NodeId node) { return node == no_node ? no_node : result_.origin[node]; });
        result_.origin = std::move(origin);
        result_.graph = result.graph;
    }

    /// A directive that cannot hold is a problem and is left out.
    void apply_overlaps_by_hand() {
        const OverlapDirectives& overlaps = resolved_.plan.overlaps;
        OverlapOutcome& outcome = result_.overlaps;
        if (begins_) begins_(resolved_.steps.size(), "overlaps");
        try {
            outcome.modules = resolved_.modules_of(result_.graph);
            const Clock::time_point begin = Clock::now();
            DirectedGraph directed = apply_overlaps(result_.graph, result_.reports, overlaps, *outcome.modules);
            outcome.run_ms = milliseconds_since(begin);
            outcome.directives = std::move(directed.outcomes);
            outcome.difference = {result_.graph, directed.result.graph, directed.result.origin};
            outcome.report = std::move(directed.result.report);
            std::ranges::move(refused_overlaps(overlaps, outcome.directives),
                              std::back_inserter(outcome.report.problems));
            for (const Problem& problem : outcome.report.problems) {
                outcome.problems.push_back(result_.problems.size());
                result_.problems.push_back(problem);
            }
            adopt(directed.result, carry_bucket_marks(result_.bucket_of_node, directed.result.origin));
        } catch (const InputError& error) {
            refuse(error, InputError(options_.plan_file, "overlaps", error.problem(), error.code()));
        }
    }

    /// Any pass that moves nodes may cause this, and a pass that buckets by itself does not look for it.
    void add_reads_before_fill() {
        for (Problem& problem : reads_before_fill(*result_.graph)) {
            const bool is_listed = std::ranges::any_of(
                result_.problems, [&](const Problem& listed) { return are_reads_before_same_fill(listed, problem); });
            if (!is_listed) result_.problems.push_back(std::move(problem));
        }
    }

    void add_missing_groups() {
        std::ranges::move(check_group_names(resolved_.plan.process_groups, *result_.graph),
                          std::back_inserter(result_.problems));
    }

    InputError in_plan(const InputError& error) const {
        return error.file().empty() ? error.in_file(options_.plan_file) : error;
    }

    InputError in_step(std::size_t index, const InputError& error) const {
        const std::string within = error.place().empty() ? std::string() : ", " + error.place();
        return {options_.plan_file, place_of_step(resolved_, index) + within, error.problem(), error.code()};
    }

    /// A pass reports a node that its entries share. The entries themselves, which a user can change, come in its
    /// place.
    PassRefusal naming_entries(std::size_t index, const PassRefusal& refusal) const {
        if (refusal.code() != ErrorCode::overlapping_entries) return refusal;
        const auto overlap = overlap_of_entries(resolved_, resolved_.steps[index], result_.graph);
        return overlap ? PassRefusal(refusal.pass(), refusal.place(), overlap->message, refusal.code()) : refusal;
    }

    /// @param fix see refuse().
    void refuse_step(std::size_t index, const InputError& error, InputError placed, std::string fix = {}) {
        StepOutcome& outcome = outcome_of(index);
        outcome.state = StepOutcome::State::refused;
        outcome.refusal = error.what();
        refuse(error, std::move(placed), std::move(fix));
    }

    /// @param placed the same with its place in the plan.
    /// @param fix what the problem offers, see edits::with_fix().
    void refuse(const InputError& error, InputError placed, std::string fix = {}) {
        if (options_.strictness == Strictness::strict) throw InputError(std::move(placed));
        result_.refused = true;
        result_.refusal = std::move(placed);
        result_.overlaps = {};
        reset_to_input(result_);
        // Overlapping entries of the plan are in the list already, with nodes and a fix.
        const bool is_listed = std::ranges::any_of(result_.problems, [&](const Problem& problem) {
            return problem.kind == ProblemKind::overlapping_entries && problem.message == error.problem();
        });
        if (!is_listed) result_.problems.push_back(refusal_problem(error, std::move(fix)));
    }

    const ResolvedPlan& resolved_;
    ExecutionOptions options_;
    std::function<void(std::size_t, const std::string&)> begins_;
    Execution result_;
};

}  // namespace

double Execution::run_ms() const {
    double sum_ms = overlaps.run_ms;
    for (const StepOutcome& step : steps) sum_ms += step.run_ms;
    return sum_ms;
}

std::optional<Execution> execute(std::shared_ptr<const ResolvedPlan> resolved, ExecutionOptions options) {
    return execute_telling(std::move(resolved), std::move(options), {});
}

std::optional<Execution> execute_telling(std::shared_ptr<const ResolvedPlan> resolved, ExecutionOptions options,
                                         std::function<void(std::size_t, const std::string&)> begins) {
    return Executor(std::move(resolved), std::move(options), std::move(begins)).run();
}

std::shared_ptr<const ModuleTree> modules_of(const Execution& execution, const std::shared_ptr<const Graph>& graph) {
    const OverlapOutcome& overlaps = execution.overlaps;
    if (overlaps.modules && graph == execution.undirected) return overlaps.modules;
    if (execution.resolved) return execution.resolved->modules_of(graph);
    return std::make_shared<const ModuleTree>(*graph, preferred_module_source(*execution.input));
}

Execution without_plan(const std::shared_ptr<const Graph>& graph) {
    Execution execution;
    execution.original = execution.input = graph;
    reset_to_input(execution);
    return execution;
}

}  // namespace overlap
