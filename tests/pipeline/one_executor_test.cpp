// All programs that run a plan find the same: the command line, which has refusals thrown, the window, which continues
// after them, and the runner, which also checks process groups.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <set>

#include "core/cost/cost_model.h"
#include "core/graph/editing/graph_editor.h"
#include "core/io/plan/plan_file.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/presets.h"
#include "tests/pipeline/test_plans.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

const std::string file = "some.plan.json";

/// The result of a command of the command line.
struct Commanded {
    std::optional<Execution> execution;
    std::string error;
};

Commanded command(const std::shared_ptr<const Graph>& graph, const Plan& plan) {
    try {
        return {execute(resolve(graph, plan), {.strictness = Strictness::strict, .plan_file = file}), {}};
    } catch (const InputError& error) {
        return {std::nullopt, error.what()};
    }
}

std::vector<std::string> texts(std::span<const Problem> problems) {
    std::vector<std::string> texts;
    for (const Problem& problem : problems)
        texts.push_back(std::string(problem_kind_name(problem.kind)) + "|" + problem.title + "|" + problem.message +
                        "|" + problem.fix + "|" + std::to_string(problem.plan_entry));
    return texts;
}

std::vector<std::string> names(const std::vector<NodeChange>& changes) {
    std::vector<std::string> names;
    for (const NodeChange& change : changes) names.emplace_back(change.name);
    return names;
}

void expect_same_difference(const GraphDifference& left, const GraphDifference& right) {
    EXPECT_EQ(names(left.added), names(right.added));
    EXPECT_EQ(names(left.removed), names(right.removed));
    EXPECT_EQ(names(left.moved), names(right.moved));
    EXPECT_EQ(names(left.changed), names(right.changed));
}

void expect_same_steps(const Execution& left, const Execution& right) {
    ASSERT_EQ(left.steps.size(), right.steps.size());
    for (std::size_t step = 0; step < left.steps.size(); ++step) {
        EXPECT_EQ(left.steps[step].pass, right.steps[step].pass);
        EXPECT_EQ(left.steps[step].state, right.steps[step].state);
        EXPECT_EQ(left.steps[step].problems, right.steps[step].problems);
        expect_same_difference(*left.steps[step].difference, *right.steps[step].difference);
    }
    ASSERT_EQ(left.reports.size(), right.reports.size());
    for (std::size_t report = 0; report < left.reports.size(); ++report) {
        EXPECT_EQ(left.reports[report].pass, right.reports[report].pass);
        EXPECT_EQ(left.reports[report].buckets.size(), right.reports[report].buckets.size());
        EXPECT_EQ(texts(left.reports[report].problems), texts(right.reports[report].problems));
    }
}

void expect_same(const Execution& left, const Execution& right) {
    EXPECT_EQ(fingerprint(*left.graph), fingerprint(*right.graph));
    EXPECT_EQ(left.origin, right.origin);
    EXPECT_EQ(left.bucket_of_node, right.bucket_of_node);
    expect_same_steps(left, right);
    EXPECT_EQ(left.overlaps.directives.size(), right.overlaps.directives.size());
    expect_same_difference(*left.overlaps.difference, *right.overlaps.difference);
}

bool is_in_sentence_case(const std::string& title) {
    return !title.empty() && std::isupper(static_cast<unsigned char>(title.front())) != 0;
}

/// The problems of a step are the same in its report and in the list.
void expect_reported(const Execution& execution) {
    std::size_t ran = 0;
    for (const StepOutcome& step : execution.steps) {
        if (step.state != StepOutcome::State::ran) continue;
        const PassReport& report = execution.reports.at(ran++);
        ASSERT_EQ(step.problems.size(), report.problems.size());
        for (std::size_t index = 0; index < step.problems.size(); ++index)
            EXPECT_EQ(execution.problems.at(step.problems[index]).message, report.problems[index].message);
    }
    EXPECT_EQ(ran, execution.reports.size());
}

/// Whether the runner accepts the plan's process groups, and whether the problems say that it does.
void expect_runner_agrees(const Execution& execution) {
    std::string refusal;
    try {
        execution.resolved->require_groups(*execution.graph);
    } catch (const InputError& error) {
        refusal = error.what();
    }
    const bool told = std::ranges::any_of(execution.problems, [&](const Problem& problem) {
        return problem.message.starts_with("a run would refuse ") && problem.message.ends_with(refusal);
    });
    EXPECT_EQ(told, !refusal.empty()) << refusal;
}

class OneExecutor : public testing::TestWithParam<TestPlan> {
  protected:
    const std::shared_ptr<const Graph> graph_ =
        GetParam().timed ? test_graph(GetParam().graph) : without_times(test_graph(GetParam().graph));
    const Plan plan_ = GetParam().plan(*graph_);
};

TEST_P(OneExecutor, FindsTheProblemsThatTheCaseIsFor) {
    const auto evaluation = evaluate(graph_, plan_);
    ASSERT_TRUE(evaluation);
    std::set<std::string> kinds;
    for (const Problem& problem : std::span(evaluation->problems).first(evaluation->plan_problems))
        kinds.emplace(problem_kind_name(problem.kind));
    // A bucket of a block of a joint graph gathers for both directions, whatever else the case is for.
    kinds.erase(std::string(problem_kind_name(ProblemKind::gathered_for_both)));
    EXPECT_EQ(kinds, GetParam().kinds);
    EXPECT_EQ(evaluation->refusal ? evaluation->refusal->place() : "", GetParam().refused_at);
}

TEST_P(OneExecutor, GivesCommandsWhatItGivesTheWindow) {
    const auto evaluation = evaluate(graph_, plan_);
    const Commanded commanded = command(graph_, plan_);
    ASSERT_EQ(commanded.execution.has_value(), !evaluation->refused);
    if (evaluation->refused) {
        EXPECT_EQ(commanded.error,
                  evaluation->refusal->in_file(evaluation->refusal->file().empty() ? file : evaluation->refusal->file())
                      .what());
        EXPECT_EQ(evaluation->graph, evaluation->input);
        return;
    }
    EXPECT_EQ(texts(commanded.execution->problems),
              texts(std::span(evaluation->problems).first(evaluation->plan_problems)));
    expect_same(*commanded.execution, *evaluation);
    expect_reported(*evaluation);
    for (const Problem& problem : evaluation->problems)
        EXPECT_TRUE(is_in_sentence_case(problem.title)) << problem.title;
    expect_runner_agrees(*commanded.execution);
    if (!evaluation->times_known) return;
    const Simulation simulation = simulate(*commanded.execution->graph, node_times_ms(*commanded.execution->graph));
    EXPECT_EQ(simulation.step_ms, evaluation->simulation.step_ms);
    EXPECT_EQ(simulation.exposed_ms, evaluation->simulation.exposed_ms);
    EXPECT_EQ(memory_profile(*commanded.execution->graph, StorageRule::corrected).peak_bytes,
              evaluation->corrected_memory.peak_bytes);
}

/// The list of passes that a plan represents, as `--pipeline` takes it, makes the same graph; a list has no entries, so
/// that problems with them are reported for each step.
TEST_P(OneExecutor, MakesOfAListWhatItMakesOfThePlan) {
    Plan plan = plan_;
    plan.overlaps.list.clear();  // a list has passes alone
    plan.module_rules.clear();
    const Commanded by_plan = command(graph_, plan);
    Plan list;
    list.pipeline = lower(plan);
    const Commanded by_list = command(graph_, list);
    EXPECT_EQ(by_list.error, by_plan.error);
    ASSERT_EQ(by_list.execution.has_value(), by_plan.execution.has_value());
    if (!by_plan.execution) return;
    EXPECT_EQ(fingerprint(*by_list.execution->graph), fingerprint(*by_plan.execution->graph));
    ASSERT_EQ(by_list.execution->reports.size(), by_plan.execution->reports.size());
    for (std::size_t step = 0; step < by_list.execution->reports.size(); ++step) {
        const auto& of_list = by_list.execution->reports[step].problems;
        const auto& of_plan = by_plan.execution->reports[step].problems;
        ASSERT_EQ(of_list.size(), of_plan.size());
        for (std::size_t problem = 0; problem < of_list.size(); ++problem) {
            EXPECT_EQ(of_list[problem].kind, of_plan[problem].kind);
            EXPECT_EQ(of_list[problem].plan_entry, of_plan[problem].plan_entry);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Plans, OneExecutor, testing::ValuesIn(test_plans()),
                         [](const auto& tested) { return tested.param.name; });

TEST(OneExecutorCases, AreManyAndHaveEachKindOfProblem) {
    std::set<std::string> kinds;
    for (const TestPlan& plan : test_plans()) kinds.insert(plan.kinds.begin(), plan.kinds.end());
    EXPECT_GE(test_plans().size(), 40u);
    for (const char* kind :
         {"unknown_module", "empty_entry", "nothing_gathered", "buckets_not_taken", "overlapping_entries", "no_modules",
          "not_evaluated", "refused", "no_new_group", "overlap_refused", "order_left_open"})
        EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(OneExecutorCases, AMemorySectionComesTooLateForAGraphThatRecomputes) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = make_plan(*graph, "Plan A");
    plan.memory = MemorySection();
    plan.pipeline = with_memory_steps(std::move(plan.pipeline));
    const auto evaluation = evaluate(graph, plan);
    ASSERT_TRUE(evaluation->refused);
    EXPECT_EQ(evaluation->refusal->place(), "memory");
    EXPECT_NE(evaluation->refusal->problem().find("export the graph before"), std::string::npos);
    EXPECT_EQ(evaluation->graph, graph);
}

/// What a file cannot contain, since reading it is refused; the window may still have it.
TEST(OneExecutorCases, UnknownPassesAndOptionsAreRefusedWithTheirStep) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    for (const PassStep& wrong : {PassStep{"no_such_pass"}, PassStep{"stable_topological_sort", {{"no_option", 1}}}}) {
        Plan plan;
        plan.pipeline = {{"eliminate_dead_code_pass"}, wrong};
        const auto evaluation = evaluate(graph, plan);
        ASSERT_TRUE(evaluation->refusal);
        EXPECT_TRUE(evaluation->refusal->place().starts_with("step 2 (" + wrong.pass + ")"));
        EXPECT_EQ(evaluation->steps[0].state, StepOutcome::State::ran);
        EXPECT_EQ(evaluation->steps[1].state, StepOutcome::State::refused);
        EXPECT_EQ(command(graph, plan).error, evaluation->refusal->in_file(file).what());
    }
}

/// A step's own entries are not the plan's: their numbers and fixes would apply to the wrong ones.
TEST(OneExecutorCases, EntriesOfAStepAreNotTakenForThoseOfThePlan) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Plan plan = read_plan_text(R"({"format": "overlap-plan", "version": 1, "buckets": [{"modules": "norm"}],
        "pipeline": [{"pass": "manual_overlap_bucketing", "options": {"module_bucket_plans": ["layers.99"],
                      "module_stack_fn": "custom.module_fqn"}}]})",
                                     file);
    const auto evaluation = evaluate(graph, plan);
    const auto told = std::ranges::find(evaluation->problems, ProblemKind::unknown_module, &Problem::kind);
    ASSERT_NE(told, evaluation->problems.end());
    EXPECT_EQ(told->plan_entry, -1);
    EXPECT_EQ(told->fix, "");
    EXPECT_EQ(evaluation->reports.at(0).problems.at(0).plan_entry, 0);
}

TEST(OneExecutorCases, StepsKeepTheGraphThatTheyWereGiven) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    const auto evaluation = evaluate(graph, plan_of(pipeline_presets(*graph).at(0), *graph, "Plan A"));
    ASSERT_GT(evaluation->steps.size(), 1u);
    EXPECT_EQ(evaluation->steps[0].given, graph);
    std::size_t nodes = graph->node_count();
    for (const StepOutcome& step : evaluation->steps) {
        EXPECT_EQ(step.given->node_count(), nodes);
        nodes += step.difference->added.size();
        nodes -= step.difference->removed.size();
    }
}

TEST(OneExecutorCases, ModuleTreesAreMadeOnce) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto resolved = resolve(graph, make_plan(*graph, "Plan A"));
    EXPECT_EQ(resolved->modules_of(graph), resolved->modules);
    EXPECT_EQ(resolved->modules->source(), ModuleSource::module_fqn);
    EXPECT_NE(resolved->modules_of(graph, ModuleSource::module_stack), resolved->modules);
    const auto execution = execute(resolved);
    EXPECT_EQ(modules_of(*execution, execution->input), resolved->modules);
}

}  // namespace
}  // namespace overlap
