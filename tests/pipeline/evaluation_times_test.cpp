// What the figures of an evaluation are based on, and what is said of that.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/with_cost_model.h"
#include "core/pipeline/disturbed_times.h"
#include "core/pipeline/evaluation.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/presets.h"
#include "tests/pipeline/block_plan.h"
#include "tests/pipeline/test_plans.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

TEST(EvaluationTimes, WithoutTimesPlansAreEvaluatedAllTheSame) {
    const auto timed = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto graph = without_times(timed);
    const auto evaluation = evaluate(graph, block_plan(*graph));
    EXPECT_FALSE(evaluation->refused);
    EXPECT_FALSE(evaluation->times_known);
    ASSERT_EQ(problem_count(evaluation->problems, ProblemKind::no_times), 1u);
    const auto problem = std::ranges::find(evaluation->problems, ProblemKind::no_times, &Problem::kind);
    EXPECT_EQ(problem->severity, Severity::caution);
    EXPECT_EQ(problem->fix, "choose cost model");
    const auto with_times = evaluate(timed, block_plan(*timed));
    EXPECT_TRUE(with_times->times_known);
    EXPECT_EQ(fingerprint(*evaluation->graph).digest, fingerprint(*with_times->graph).digest);
}

TEST(EvaluationTimes, APassThatNeedsTimesSaysSo) {
    const auto graph = without_times(test_graph("llama3_debugmodel_fsdp8.prebucket"));
    const auto evaluation = evaluate(graph, automatic_plan(make_plan(*graph, "Automatic"), *graph));
    EXPECT_TRUE(evaluation->refused);
    const auto problem = std::ranges::find(evaluation->problems, ProblemKind::refused, &Problem::kind);
    ASSERT_NE(problem, evaluation->problems.end());
    EXPECT_NE(problem->message.find("no cost_model"), std::string::npos) << problem->message;
}

TEST(EvaluationTimes, ContentionIsOfTheCostModel) {
    const auto read = test_graph("llama3_debugmodel_fsdp8.prebucket");
    NamedCostModel model = *built_in_cost_model("h200-sxm");
    model.contention->compute_slowdown["memory"] = 0.5;
    model.contention->communication_slowdown = 0.5;
    const auto graph = with_cost_model(read, model).graph;
    const Plan plan = block_plan(*graph);
    const auto base = evaluate(graph, plan);
    const auto contended = evaluate(graph, plan, {}, modelled_source(true, {}));
    EXPECT_FALSE(base->contention);
    ASSERT_TRUE(contended->contention);
    EXPECT_EQ(contended->contention->factors.communication_slowdown, 0.5);
    EXPECT_FALSE(contended->contention->transfers.empty());
    EXPECT_GT(contended->simulation.step_ms, base->simulation.step_ms);
    EXPECT_EQ(contended->times_ms, base->times_ms);

    const auto unknown = evaluate(read, block_plan(*read), {}, modelled_source(true, {}));
    EXPECT_FALSE(unknown->contention);
    EXPECT_EQ(problem_count(unknown->problems, ProblemKind::no_contention), 1u);
}

TEST(EvaluationTimes, AGraphSaysHowItsJobCompiles) {
    const auto traced =
        with_cost_model(test_graph("llama3_debugmodel_fsdp8.prebucket"), *built_in_cost_model("h100-96gb-500w")).graph;
    const Compilation blocks{.scope = CompiledScope::blocks};
    const auto compiled = with_compilation(traced, blocks);
    const auto plan = block_plan(*compiled);
    const auto own = evaluate(compiled, plan);
    ASSERT_TRUE(own->time_source);
    EXPECT_EQ(own->time_source->compilation, blocks);
    EXPECT_EQ(own->times_ms, evaluate(traced, plan, {}, modelled_source(false, blocks))->times_ms);
    EXPECT_EQ(problem_count(own->problems, ProblemKind::outside_checked_runs), 0u);

    // Asked for, they are as traced; passes see those in any case.
    const auto as_traced = evaluate(compiled, plan, {}, modelled_source(false, {}));
    EXPECT_EQ(as_traced->times_ms, evaluate(traced, plan)->times_ms);
    EXPECT_LT(own->simulation.compute_ms, as_traced->simulation.compute_ms);
    EXPECT_EQ(own->graph->node_count(), as_traced->graph->node_count());
    EXPECT_EQ(problem_count(as_traced->problems, ProblemKind::outside_checked_runs), 1u);

    // Of a device that was changed under the same name nothing was checked.
    NamedCostModel changed = *built_in_cost_model("h100-96gb-500w");
    changed.memory_bytes_per_s *= 2;
    const auto other = with_cost_model(traced, changed).graph;
    EXPECT_EQ(built_in_cost_model(*other->header().cost), nullptr);
    EXPECT_EQ(problem_count(evaluate(other, plan)->problems, ProblemKind::outside_checked_runs), 0u);
}

TEST(EvaluationTimes, GroupsThatShareLinksShareThem) {
    // Tensor parallelism and FSDP of four GPUs of one host; blocks are gathered while others exchange activations.
    const auto read = test_graph("llama3_debugmodel_fsdp4_tp2.prebucket");
    NamedCostModel model = *built_in_cost_model("h100-sxm");
    const auto sharing = with_cost_model(read, model).graph;
    model.contention->groups_share_links = false;
    const auto apart = with_cost_model(read, model).graph;
    const auto shared = evaluate(sharing, block_plan(*sharing)), alone = evaluate(apart, block_plan(*apart));
    EXPECT_EQ(shared->times_ms, alone->times_ms);
    EXPECT_GT(shared->simulation.step_ms, alone->simulation.step_ms);
    EXPECT_FALSE(shared->contention);  // nobody asked for more than that

    // Where the model does not say that they share it, what they come to if they do stands beside the figures.
    EXPECT_FALSE(shared->on_shared_links);
    EXPECT_EQ(problem_count(shared->problems, ProblemKind::links_not_shared), 0u);
    ASSERT_TRUE(alone->on_shared_links);
    EXPECT_EQ(alone->on_shared_links->step_ms, shared->simulation.step_ms);
    EXPECT_EQ(exposed_with_links_shared(*alone), shared->simulation.exposed_ms);
    EXPECT_GT(exposed_with_links_shared(*alone), alone->simulation.exposed_ms);
    const auto problem = std::ranges::find(alone->problems, ProblemKind::links_not_shared, &Problem::kind);
    ASSERT_NE(problem, alone->problems.end());
    for (const std::string& group : alone->on_shared_links->links.at(0))
        EXPECT_NE(problem->message.find(group), std::string::npos) << problem->message;

    // Asked to share, they do.
    const auto asked = evaluate(apart, block_plan(*apart), {}, modelled_source(false, {}, true));
    EXPECT_EQ(asked->simulation.step_ms, shared->simulation.step_ms);
    EXPECT_FALSE(asked->on_shared_links);

    // The same in place of the figures, and everything that is made of them.
    EXPECT_EQ(with_links_shared(shared), shared);
    const auto of_job = with_links_shared(alone);
    EXPECT_EQ(of_job->simulation.step_ms, shared->simulation.step_ms);
    EXPECT_EQ(of_job->simulation.exposed_ms, shared->simulation.exposed_ms);
    EXPECT_FALSE(of_job->on_shared_links);
    EXPECT_EQ(step_with_links_shared(*of_job), step_with_links_shared(*alone));
    for (const Disturbance& disturbance : usual_disturbances()) {
        EXPECT_EQ(disturbed_step_ms(*of_job, disturbance), disturbed_step_ms(*shared, disturbance)) << disturbance.name;
        EXPECT_GT(disturbed_step_ms(*of_job, disturbance), disturbed_step_ms(*alone, disturbance)) << disturbance.name;
    }
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_EQ(with_links_shared(alone, stopped.get_token()), nullptr);
}

TEST(EvaluationTimes, OneGroupSharesItsLinkWithNone) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    EXPECT_FALSE(evaluate(graph, block_plan(*graph))->on_shared_links);
    // A preset that gives gathers a group of their own seems to double the network.
    const auto apart = evaluate(graph, plan_of(pipeline_presets(*graph).at(1), *graph, "Performance"));
    ASSERT_TRUE(apart->on_shared_links);
    EXPECT_GT(apart->on_shared_links->step_ms, 1.1 * apart->simulation.step_ms);
}

TEST(EvaluationTimes, ThatInductorMovesCollectivesLaterIsToldOfJobsCompiledAsAWhole) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto told = [&](CompiledScope scope) {
        const auto evaluation =
            evaluate(graph, block_plan(*graph), {}, modelled_source(false, Compilation{.scope = scope}));
        std::vector<std::string> titles;
        for (const Problem& problem : evaluation->problems)
            if (problem.kind == ProblemKind::moved_again) titles.push_back(problem.title);
        return titles;
    };
    EXPECT_EQ(told(CompiledScope::whole), (std::vector<std::string>{"Moved again later"}));
    EXPECT_TRUE(told(CompiledScope::blocks).empty());
    EXPECT_TRUE(told(CompiledScope::eager).empty());
}

/// A profile of all-gathers of two sizes; neither is that of a merged one.
std::shared_ptr<const TimeSource> two_sizes() {
    ProfiledCollective small;
    small.name = "_allgather_base";
    small.ranks = {0, 1, 2, 3, 4, 5, 6, 7};
    small.group_size = 8;
    small.output_elements = 1 << 12;
    small.dtype = "BFloat16";
    small.time_us = 10;
    ProfiledCollective large = small;
    large.output_elements = 1 << 24;
    large.time_us = 4000;
    return std::make_shared<const TimeSource>(TimeSource{"two sizes", ProfileTables({{small, large}, {}, 0})});
}

TEST(EvaluationTimes, WithTimesOfATraceChangesFiguresAndNothingElse) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Plan plan = block_plan(*graph);
    const auto source = two_sizes();
    const auto own = evaluate(graph, plan), sourced = evaluate(graph, plan, {}, source);
    EXPECT_FALSE(own->time_source);
    EXPECT_EQ(sourced->time_source, source);
    ASSERT_EQ(sourced->graph->node_count(), own->graph->node_count());
    std::uint32_t merged = 0, known = 0;
    for (NodeId node = 0; node < own->graph->node_count(); ++node) {
        ASSERT_EQ(sourced->graph->name(node), own->graph->name(node));
        EXPECT_EQ(sourced->graph->metadata(node).estimate_ms, own->graph->metadata(node).estimate_ms);
        if (own->graph->target_info(node).starts != CollectiveKind::all_gather) {
            EXPECT_EQ(sourced->times_ms[node], own->times_ms[node]) << own->graph->name(node);
            continue;
        }
        // Between the two sizes, and so between their times; merged ones by the size that they have together.
        EXPECT_GT(sourced->times_ms[node], 0.01);
        EXPECT_LT(sourced->times_ms[node], 4);
        ++known;
        if (own->origin[node] == no_node) ++merged;
    }
    EXPECT_EQ(sourced->sourced_collectives, known);
    EXPECT_EQ(sourced->sourced_operators, 0u);
    EXPECT_GT(merged, 2u);
    EXPECT_NE(sourced->simulation.step_ms, own->simulation.step_ms);
    EXPECT_EQ(sourced->memory.peak_bytes, own->memory.peak_bytes);
}

}  // namespace
}  // namespace overlap
