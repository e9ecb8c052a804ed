#include "core/pipeline/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/with_cost_model.h"
#include "core/pipeline/disturbed_times.h"
#include "core/pipeline/evaluation_progress.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/presets.h"
#include "tests/pipeline/test_plans.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

Plan block_plan(const Graph& graph) {
    Plan plan = make_plan(graph, "Plan A");
    plan.buckets = one_bucket_per_block(ModuleTree(graph, preferred_module_source(graph)), &graph);
    return plan;
}

std::size_t count(const std::vector<Problem>& problems, ProblemKind kind) {
    return static_cast<std::size_t>(std::ranges::count(problems, kind, &Problem::kind));
}

TEST(Evaluation, WithoutTimesPlansAreEvaluatedAllTheSame) {
    const auto timed = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto graph = without_times(timed);
    const auto evaluation = evaluate(graph, block_plan(*graph));
    EXPECT_FALSE(evaluation->refused);
    EXPECT_FALSE(evaluation->times_known);
    ASSERT_EQ(count(evaluation->problems, ProblemKind::no_times), 1u);
    const auto problem = std::ranges::find(evaluation->problems, ProblemKind::no_times, &Problem::kind);
    EXPECT_EQ(problem->severity, Severity::caution);
    EXPECT_EQ(problem->fix, "choose cost model");
    const auto with_times = evaluate(timed, block_plan(*timed));
    EXPECT_TRUE(with_times->times_known);
    EXPECT_EQ(fingerprint(*evaluation->graph).digest, fingerprint(*with_times->graph).digest);
}

TEST(Evaluation, APassThatNeedsTimesSaysSo) {
    const auto graph = without_times(test_graph("llama3_debugmodel_fsdp8.prebucket"));
    const auto evaluation = evaluate(graph, automatic_plan(make_plan(*graph, "Automatic"), *graph));
    EXPECT_TRUE(evaluation->refused);
    const auto problem = std::ranges::find(evaluation->problems, ProblemKind::refused, &Problem::kind);
    ASSERT_NE(problem, evaluation->problems.end());
    EXPECT_NE(problem->message.find("no cost_model"), std::string::npos) << problem->message;
}

TEST(Evaluation, ContentionIsOfTheCostModel) {
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
    EXPECT_EQ(count(unknown->problems, ProblemKind::no_contention), 1u);
}

TEST(Evaluation, AGraphSaysHowItsJobCompiles) {
    const auto traced =
        with_cost_model(test_graph("llama3_debugmodel_fsdp8.prebucket"), *built_in_cost_model("h100-96gb-500w")).graph;
    const Compilation blocks{.scope = CompiledScope::blocks};
    const auto compiled = with_compilation(traced, blocks);
    const auto plan = block_plan(*compiled);
    const auto own = evaluate(compiled, plan);
    ASSERT_TRUE(own->time_source);
    EXPECT_EQ(own->time_source->compilation, blocks);
    EXPECT_EQ(own->times_ms, evaluate(traced, plan, {}, modelled_source(false, blocks))->times_ms);
    EXPECT_EQ(count(own->problems, ProblemKind::outside_checked_runs), 0u);

    // Asked for, they are as traced; passes see those in any case.
    const auto as_traced = evaluate(compiled, plan, {}, modelled_source(false, {}));
    EXPECT_EQ(as_traced->times_ms, evaluate(traced, plan)->times_ms);
    EXPECT_LT(own->simulation.compute_ms, as_traced->simulation.compute_ms);
    EXPECT_EQ(own->graph->node_count(), as_traced->graph->node_count());
    EXPECT_EQ(count(as_traced->problems, ProblemKind::outside_checked_runs), 1u);

    // Of a device that was changed under the same name nothing was checked.
    NamedCostModel changed = *built_in_cost_model("h100-96gb-500w");
    changed.memory_bytes_per_s *= 2;
    const auto other = with_cost_model(traced, changed).graph;
    EXPECT_EQ(built_in_cost_model(*other->header().cost), nullptr);
    EXPECT_EQ(count(evaluate(other, plan)->problems, ProblemKind::outside_checked_runs), 0u);
}

TEST(Evaluation, GroupsThatShareLinksShareThem) {
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
    EXPECT_EQ(count(shared->problems, ProblemKind::links_not_shared), 0u);
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

TEST(Evaluation, OneGroupSharesItsLinkWithNone) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    EXPECT_FALSE(evaluate(graph, block_plan(*graph))->on_shared_links);
    // A preset that gives gathers a group of their own seems to double the network.
    const auto apart = evaluate(graph, plan_of(pipeline_presets(*graph).at(1), *graph, "Performance"));
    ASSERT_TRUE(apart->on_shared_links);
    EXPECT_GT(apart->on_shared_links->step_ms, 1.1 * apart->simulation.step_ms);
}

TEST(Evaluation, WhatFusedProductsReturnIsInThePeakAndPriced) {
    // With clean-ups alone a product of the backward pass reads what a fused one has gathered.
    const auto graph = test_graph("llama3_debugmodel_fsdp4_tp2.prebucket");
    Plan plan;
    plan.pipeline = {{"micro_pipeline_tp_pass", {}}};
    const auto evaluation = evaluate(graph, plan), base = evaluate_baseline(graph);
    EXPECT_EQ(std::ranges::count(evaluation->problems, ProblemKind::uncounted_results, &Problem::kind), 0);
    EXPECT_TRUE(evaluation->times_known);
    // PyTorch's own estimate leaves it out.
    EXPECT_LT(evaluation->memory.peak_bytes, base->memory.peak_bytes);
    EXPECT_GT(evaluation->corrected_memory.peak_bytes, 0.9 * base->corrected_memory.peak_bytes);
    // The graph is PyTorch's: without values.
    const NodeId fused = [&] {
        NodeId node = 0;
        while (!evaluation->graph->target(node).starts_with("symm_mem.")) ++node;
        return node;
    }();
    EXPECT_TRUE(evaluation->graph->outputs(fused).empty());
}

TEST(Evaluation, ThatInductorMovesCollectivesLaterIsToldOfJobsCompiledAsAWhole) {
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

TEST(Evaluation, AnyPassThatReadsABufferBeforeItIsFilledIsTold) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    Plan plan = make_plan(*graph, "Automatic");
    plan.pipeline = {{"schedule_overlap_bucketing", {{"bucket_mode", std::string("custom_ops")}}}};
    const auto evaluation = evaluate(graph, plan);
    ASSERT_EQ(count(evaluation->problems, ProblemKind::read_before_fill), 1u);
    const auto problem = std::ranges::find(evaluation->problems, ProblemKind::read_before_fill, &Problem::kind);
    EXPECT_EQ(problem->severity, Severity::error);
    EXPECT_LT(evaluation->graph->find(problem->nodes.front()), evaluation->graph->find(problem->nodes.back()));
    // Packed without custom operators, nothing is.
    plan.pipeline.front().options = {};
    EXPECT_EQ(count(evaluate(graph, plan)->problems, ProblemKind::read_before_fill), 0u);
}

TEST(Evaluation, OfAPlanHasEverything) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto evaluation = evaluate(graph, block_plan(*graph));
    ASSERT_TRUE(evaluation);
    EXPECT_FALSE(evaluation->refused);
    EXPECT_EQ(evaluation->input, graph);
    const std::uint32_t nodes = evaluation->graph->node_count();
    EXPECT_NE(evaluation->graph, graph);
    ASSERT_EQ(evaluation->origin.size(), nodes);
    ASSERT_EQ(evaluation->bucket_of_node.size(), nodes);
    ASSERT_EQ(evaluation->entry_of_node.size(), nodes);
    EXPECT_EQ(evaluation->times_ms.size(), nodes);
    EXPECT_GT(evaluation->simulation.step_ms, 0);
    EXPECT_GT(evaluation->memory.peak_bytes, 0);
    EXPECT_LE(evaluation->corrected_memory.peak_bytes, evaluation->memory.peak_bytes);
    EXPECT_GT(evaluation->evaluate_ms, 0);
    for (NodeId node = 0; node < nodes; ++node) {
        const NodeId origin = evaluation->origin[node];
        if (origin == no_node) {
            EXPECT_GE(evaluation->bucket_of_node[node], 0) << evaluation->graph->name(node);
        } else {
            EXPECT_EQ(evaluation->bucket_of_node[node], -1);
            EXPECT_EQ(evaluation->graph->name(node), graph->name(origin));
        }
    }
}

TEST(Evaluation, MarksBucketsAndTheirModules) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Plan plan = block_plan(*graph);
    const auto evaluation = evaluate(graph, plan);
    for (const BucketReport& bucket : evaluation->reports.at(0).buckets) {
        const auto entry = static_cast<std::int32_t>(*bucket.plan_entry);
        EXPECT_EQ(evaluation->bucket_of_node[evaluation->graph->find(bucket.start)], entry);
        EXPECT_EQ(evaluation->bucket_of_node[evaluation->graph->find(bucket.waits.at(0))], entry);
    }
    const ModuleTree tree(*graph, ModuleSource::module_fqn);
    for (NodeId node = 0; node < evaluation->graph->node_count(); ++node) {
        const NodeId origin = evaluation->origin[node];
        if (origin == no_node || tree.innermost(origin) == ModuleTree::no_module) continue;
        if (tree.path(tree.innermost(origin)).starts_with("layers.3")) {
            EXPECT_EQ(evaluation->entry_of_node[node], 4);
        }
    }
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

TEST(Evaluation, WithTimesOfATraceChangesFiguresAndNothingElse) {
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

TEST(Evaluation, OfTheBaselineLeavesTheGraph) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto baseline = evaluate_baseline(graph);
    EXPECT_EQ(baseline->graph, graph);
    EXPECT_TRUE(baseline->reports.empty());
    EXPECT_FALSE(baseline->refused);
    EXPECT_GT(baseline->simulation.step_ms, 0);
}

TEST(Evaluation, OfNoBucketsIsTheBaseline) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto evaluation = evaluate(graph, make_plan(*graph, "Plan A"));
    EXPECT_FALSE(evaluation->refused);
    EXPECT_EQ(evaluation->simulation.step_ms, evaluate_baseline(graph)->simulation.step_ms);
}

TEST(Evaluation, ToldToStopIsNothing) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(evaluate(graph, block_plan(*graph), stop.get_token()), nullptr);
    EXPECT_EQ(evaluate_baseline(graph, stop.get_token()), nullptr);
}

/// What an evaluation says while it runs: `part done/of`.
std::vector<std::string> told_of(const std::shared_ptr<const Graph>& graph, const Plan* plan) {
    std::vector<std::string> told;
    evaluate_telling(graph, plan, [&](const EvaluationProgress& progress) {
        told.push_back(progress.part + " " + std::to_string(progress.done) + "/" + std::to_string(progress.of));
    });
    return told;
}

TEST(Evaluation, TellsWhichPartBegins) {
    using Told = std::vector<std::string>;
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    EXPECT_EQ(told_of(graph, nullptr), (Told{"simulation 0/2", "memory 1/2", " 2/2"}));
    Plan plan = block_plan(*graph);
    plan.pipeline = {{"eliminate_dead_code_pass"}, {"manual_overlap_bucketing"}, {"deduplicate_wait_tensors"}};
    plan.pipeline[0].enabled = false;
    EXPECT_EQ(told_of(graph, &plan), (Told{"manual_overlap_bucketing 0/4", "deduplicate_wait_tensors 1/4",
                                           "simulation 2/4", "memory 3/4", " 4/4"}));
    plan.overlaps.list = {{.collective = "gone", .start_before = "mm"}};
    EXPECT_EQ(told_of(graph, &plan), (Told{"manual_overlap_bucketing 0/5", "deduplicate_wait_tensors 1/5",
                                           "overlaps 2/5", "simulation 3/5", "memory 4/5", " 5/5"}));
    plan.overlaps.list.clear();
    plan.pipeline[1].pass = "no_such_pass";  // refused
    EXPECT_EQ(told_of(graph, &plan), (Told{"no_such_pass 0/4", "simulation 2/4", "memory 3/4", " 4/4"}));
}

TEST(Evaluation, OfARefusedPlanHasTheFiguresOfTheInput) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = block_plan(*graph);
    plan.buckets.push_back({{"layers.0.attention"}});
    const auto evaluation = evaluate(graph, plan);
    ASSERT_TRUE(evaluation);
    EXPECT_TRUE(evaluation->refused);
    EXPECT_EQ(evaluation->graph, graph);
    EXPECT_TRUE(evaluation->reports.empty());
    EXPECT_EQ(evaluation->simulation.step_ms, evaluate_baseline(graph)->simulation.step_ms);
    EXPECT_EQ(count(evaluation->problems, ProblemKind::overlapping_entries), 1u);
    EXPECT_EQ(count(evaluation->problems, ProblemKind::refused), 0u);  // said already
    // What is drawn all the same has the colour of the first entry that names it.
    const ModuleTree tree(*graph, ModuleSource::module_fqn);
    for (const NodeId node : tree.nodes("layers.0.attention")) EXPECT_EQ(evaluation->entry_of_node[node], 1);
}

TEST(Evaluation, TurnsEveryMistakeIntoAProblem) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    Plan plan = make_plan(*graph, "Plan A");
    plan.pipeline.push_back({"manual_overlap_buckting"});
    auto evaluation = evaluate(graph, plan);
    EXPECT_TRUE(evaluation->refused);
    ASSERT_EQ(count(evaluation->problems, ProblemKind::refused), 1u);
    const auto refused = std::ranges::find(evaluation->problems, ProblemKind::refused, &Problem::kind);
    EXPECT_EQ(refused->severity, Severity::error);
    EXPECT_EQ(refused->title, "Plan refused");
    plan.pipeline = {{"manual_overlap_bucketing", {{"bucket_mod", {}}}}};
    evaluation = evaluate(graph, plan);
    EXPECT_TRUE(evaluation->refused);
    plan.pipeline = {{"manual_overlap_bucketing", {{"insert_overlap_deps", std::int64_t{1}}}}};
    EXPECT_TRUE(evaluate(graph, plan)->refused);
}

TEST(Evaluation, TellsWhatItDoesNotEvaluate) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    Plan plan = make_plan(*graph, "Plan A");
    plan.unread_process_groups = UnreadField{"[1]", "process_groups[0]", "found 1, expected an object with a name"};
    plan.extra = {{"of_a_newer_writer", "1"}};
    const auto evaluation = evaluate(graph, plan);
    EXPECT_EQ(count(evaluation->problems, ProblemKind::not_evaluated), 2u);
}

TEST(Evaluation, TellsTheWorstExposedCollectives) {
    const auto graph = test_graph("llama3_8b_fsdp64_aot_fw");
    const auto evaluation = evaluate_baseline(graph);
    EXPECT_GT(evaluation->simulation.exposed_ms, 0);
    ASSERT_GT(count(evaluation->problems, ProblemKind::exposed), 0u);
    ASSERT_LE(count(evaluation->problems, ProblemKind::exposed), 3u);
    for (const Problem& problem : evaluation->problems) {
        EXPECT_FALSE(problem.message.empty());
        EXPECT_NE(graph->find(problem.nodes.at(0)), no_node);
        if (problem.kind != ProblemKind::exposed) continue;
        // A move is told with what it does, which nobody has evaluated here.
        EXPECT_NE(problem.message.find(": waits "), std::string::npos) << problem.message;
        EXPECT_EQ(problem.message.find("issued before"), std::string::npos) << problem.message;
        EXPECT_EQ(problem.message.find("waited for"), std::string::npos) << problem.message;
    }
}

TEST(Evaluation, TellsWhatEachStepDid) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    Plan plan = plan_of(pipeline_presets(*graph).at(0), *graph, "Plan A");
    ASSERT_EQ(plan.pipeline.size(), 7u);
    const auto evaluation = evaluate(graph, plan);
    ASSERT_EQ(evaluation->steps.size(), 7u);
    std::size_t nodes = graph->node_count();
    double run_ms = 0;
    for (const StepOutcome& step : evaluation->steps) {
        SCOPED_TRACE(step.pass);
        EXPECT_EQ(step.state, StepOutcome::State::ran);
        EXPECT_GT(step.run_ms, 0);
        EXPECT_TRUE(step.refusal.empty());
        nodes += step.difference->added.size();
        nodes -= step.difference->removed.size();
        run_ms += step.run_ms;
    }
    EXPECT_DOUBLE_EQ(evaluation->run_ms(), run_ms);
    EXPECT_EQ(nodes, evaluation->graph->node_count());
    EXPECT_GT(evaluation->steps[0].difference->removed.size(), 0u);
    EXPECT_EQ(evaluation->steps[0].difference->added.size(), 0u);  // dead code only goes
    const GraphDifference& bucketing = *evaluation->steps[6].difference;
    EXPECT_GT(bucketing.added.size(), 0u);
    for (const BucketReport& bucket : evaluation->reports[6].buckets) {
        EXPECT_TRUE(std::ranges::count(bucketing.added, bucket.start, &NodeChange::name)) << bucket.start;
        for (const std::string& member : bucket.members)
            EXPECT_TRUE(std::ranges::count(bucketing.removed, member, &NodeChange::name)) << member;
    }
}

TEST(Evaluation, KnowsWhichProblemsAreOfWhichStep) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket");
    const Plan plan = plan_of(pipeline_presets(*graph).at(1), *graph, "Plan A");
    const auto evaluation = evaluate(graph, plan);
    ASSERT_EQ(evaluation->steps.size(), evaluation->reports.size());
    std::size_t told = 0;
    for (std::size_t step = 0; step < evaluation->steps.size(); ++step) {
        const PassReport& report = evaluation->reports[step];
        ASSERT_EQ(evaluation->steps[step].problems.size(), report.problems.size());
        for (std::size_t index = 0; index < report.problems.size(); ++index, ++told)
            EXPECT_EQ(evaluation->problems[evaluation->steps[step].problems[index]].message,
                      report.problems[index].message);
    }
    EXPECT_GT(told, 0u);
}

TEST(Evaluation, RunsNoStepThatIsSwitchedOff) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = block_plan(*graph);
    plan.pipeline[0].enabled = false;
    const auto evaluation = evaluate(graph, plan);
    EXPECT_EQ(evaluation->graph, graph);
    EXPECT_TRUE(evaluation->reports.empty());
    ASSERT_EQ(evaluation->steps.size(), 1u);
    EXPECT_EQ(evaluation->steps[0].state, StepOutcome::State::switched_off);
    EXPECT_TRUE(evaluation->steps[0].difference->empty());
}

TEST(Evaluation, TellsWhichStepWasRefusedAndWhichWereNotReached) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = block_plan(*graph);
    plan.pipeline.insert(plan.pipeline.begin(), {"eliminate_dead_code_pass"});
    plan.pipeline[1].options["bucket_mode"] = "coalesce";
    plan.pipeline.push_back({"canonicalize_graph_pass"});
    const auto evaluation = evaluate(graph, plan);
    EXPECT_TRUE(evaluation->refused);
    ASSERT_EQ(evaluation->steps.size(), 3u);
    EXPECT_EQ(evaluation->steps[0].state, StepOutcome::State::ran);
    EXPECT_EQ(evaluation->steps[1].state, StepOutcome::State::refused);
    EXPECT_NE(evaluation->steps[1].refusal.find("bucket_mode"), std::string::npos);
    EXPECT_EQ(evaluation->steps[2].state, StepOutcome::State::not_reached);
}

}  // namespace
}  // namespace overlap
