#include "core/pipeline/plan_overlaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/explain/explain.h"
#include "core/pipeline/overlap_preview.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/presets.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

Plan bucketed_plan(const Graph& graph) {
    Plan plan = make_plan(graph, "Plan A");
    plan.buckets = one_bucket_per_block(ModuleTree(graph, preferred_module_source(graph)), &graph);
    return plan;
}

/// A gather of layer 3 that is to run behind layer 1 of the forward pass.
OverlapDirective early_gather(const Graph& graph) {
    const ModuleTree tree(graph, preferred_module_source(graph));
    for (const NodeId node : tree.nodes("layers.3"))
        if (graph.target_info(node).starts == CollectiveKind::all_gather)
            return {.collective = std::string(graph.name(node)), .hide_behind = "layers.1"};
    return {};
}

std::vector<std::string> names(const Graph& graph) {
    std::vector<std::string> names;
    for (NodeId node = 0; node < graph.node_count(); ++node) names.emplace_back(graph.name(node));
    return names;
}

std::vector<std::string> sentences(const Evaluation& evaluation, const std::string& node) {
    return explain_collective(*evaluation.input, evaluation.input->find(node), &evaluation).sentences;
}

TEST(PlanOverlaps, MoveWhatThePipelineMade) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = bucketed_plan(*graph);
    const auto before = evaluate(graph, plan);
    const OverlapDirective directive = early_gather(*graph);
    plan.overlaps.list = {directive};
    const auto after = evaluate(graph, plan);
    ASSERT_EQ(after->overlaps.directives.size(), 1u);
    EXPECT_EQ(after->overlaps.directives[0].refusal, "");
    EXPECT_EQ(names(*after->undirected), names(*before->graph));
    EXPECT_FALSE(after->overlaps.difference->moved.empty());
    EXPECT_TRUE(after->overlaps.difference->added.empty());
    EXPECT_NE(names(*after->graph), names(*before->graph));
    EXPECT_EQ(after->reports.size(), before->reports.size());
    EXPECT_FALSE(after->refused);
    // What belongs to a bucket still does.
    for (NodeId node = 0; node < after->graph->node_count(); ++node)
        ASSERT_EQ(after->bucket_of_node[node], before->bucket_of_node[before->graph->find(after->graph->name(node))]);
    const auto told = sentences(*after, directive.collective);
    EXPECT_NE(std::ranges::find(told, directive.collective + " runs behind layers.1, because you asked for it"),
              told.end());
    // What was made of it is told by its own name.
    const std::string merged(after->undirected->name(after->overlaps.directives[0].start));
    ASSERT_NE(merged, directive.collective);
    const auto told_of_merged = explain_result(*after, after->graph->find(merged)).sentences;
    EXPECT_NE(std::ranges::find(told_of_merged, merged + " runs behind layers.1, because you asked for it"),
              told_of_merged.end());
}

TEST(PlanOverlaps, OneThatDoesNotFitIsAProblemAndTheOthersHold) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = bucketed_plan(*graph);
    const OverlapDirective good = early_gather(*graph);
    plan.overlaps.list = {good};
    const auto alone = evaluate(graph, plan);
    plan.overlaps.list = {{.collective = "gone", .start_before = "mm"},
                          good,
                          {.collective = good.collective, .start_before = good.collective}};
    const auto together = evaluate(graph, plan);
    EXPECT_FALSE(together->refused);
    EXPECT_EQ(names(*together->graph), names(*alone->graph));
    std::vector<Problem> told;
    std::ranges::copy_if(together->problems, std::back_inserter(told),
                         [](const Problem& problem) { return problem.kind == ProblemKind::overlap_refused; });
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].message.substr(0, told[0].message.find(';')),
              "overlap 1 (gone is issued before mm) is left out: the graph has no collective \"gone\"");
    EXPECT_EQ(told[0].severity, Severity::caution);
    EXPECT_EQ(told[0].nodes, std::vector<std::string>{"gone"});
    EXPECT_EQ(told[1].fix, "remove the overlap");
    EXPECT_EQ(told[1].directive, 2u);
    EXPECT_TRUE(told[1].message.ends_with("a collective cannot be placed by itself"));
}

TEST(PlanOverlaps, AreNotAppliedWhereThePipelineIsRefused) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = make_plan(*graph, "Plan A");
    plan.pipeline.push_back({"no_such_pass"});
    plan.overlaps.list = {early_gather(*graph)};
    const auto evaluation = evaluate(graph, plan);
    EXPECT_TRUE(evaluation->refused);
    EXPECT_TRUE(evaluation->overlaps.directives.empty());
    EXPECT_EQ(evaluation->graph, graph);
}

TEST(OverlapPreview, HasTheStepWithLinksSharedBesideTheOther) {
    const auto graph = test_graph("llama3_debugmodel_fsdp4_tp2.prebucket");
    const Plan plan = plan_of(pipeline_presets(*graph).at(1), *graph, "Performance");
    const auto evaluation = evaluate(graph, plan);
    ASSERT_TRUE(evaluation->on_shared_links);
    std::size_t held = 0;
    for (const CollectiveTiming& timing : evaluation->simulation.collectives) {
        OverlapPreview preview(evaluation, plan, timing.start);
        const OverlapDirective directive{.collective = preview.collective(),
                                         .start_before = std::string(evaluation->graph->name(timing.start / 2))};
        const OverlapPreview::Effect effect = preview.effect_of(directive);
        if (!effect.refusal().empty()) continue;
        Plan changed = plan;
        changed.overlaps = effect.overlaps;
        const auto after = evaluate(graph, changed);
        ASSERT_TRUE(effect.shared_step_ms);
        ASSERT_EQ(*effect.shared_step_ms, step_with_links_shared(*after)) << describe(directive);
        ASSERT_EQ(*effect.shared_exposed_ms, exposed_with_links_shared(*after)) << describe(directive);
        if (++held == 5) break;
    }
    EXPECT_EQ(held, 5u);
    // Links that are shared by the figures leave nothing to be said beside them.
    const auto asked = evaluate(graph, plan, {}, modelled_source(false, {}, true));
    OverlapPreview preview(asked, plan, asked->simulation.collectives.front().start);
    EXPECT_FALSE(preview.effect_of(preview.directive()).shared_step_ms);
}

TEST(OverlapPreview, AGraphThatAPassLeavesOutOfOrderIsRefusedAsByAnEvaluation) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = make_plan(*graph, "Not sorted");
    plan.pipeline = {{"bucket_all_gather"}};
    const auto evaluation = evaluate(graph, plan);
    ASSERT_FALSE(evaluation->refused);
    std::size_t refused = 0;
    for (const CollectiveTiming& timing : evaluation->simulation.collectives) {
        OverlapPreview preview(evaluation, plan, timing.start);
        const OverlapDirective directive{.collective = preview.collective(),
                                         .start_before = std::string(evaluation->graph->name(timing.start / 2))};
        const OverlapPreview::Effect effect = preview.effect_of(directive);
        if (effect.hazard.empty()) continue;
        Plan changed = plan;
        changed.overlaps.list = {directive};
        EXPECT_TRUE(evaluate(graph, changed)->refused) << describe(directive);
        ++refused;
    }
    EXPECT_GT(refused, 0u);
}

bool any_reads_before_fill(const Evaluation& evaluation) {
    return std::ranges::count(evaluation.problems, ProblemKind::read_before_fill, &Problem::kind) > 0;
}

/// Every collective of a graph, dragged to some places, with and without control_deps, beside another directive.
TEST(OverlapPreview, TellsWhatAnEvaluationTells) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    std::size_t held = 0, refused = 0, hazards = 0;
    for (const bool insert : {false, true}) {
        Plan plan = bucketed_plan(*graph);
        plan.overlaps.insert_overlap_deps = insert;
        plan.overlaps.list = {early_gather(*graph)};
        const auto evaluation = evaluate(graph, plan);
        const Graph& result = *evaluation->graph;
        for (const CollectiveTiming& timing : evaluation->simulation.collectives) {
            OverlapPreview preview(evaluation, plan, timing.start);
            for (const NodeId node : {timing.start - timing.start / 3, timing.start / 2}) {
                if (result.op(node) != NodeOp::call_function || node == timing.start) continue;
                const OverlapDirective directive{.collective = preview.collective(),
                                                 .start_before = std::string(result.name(node))};
                SCOPED_TRACE(describe(directive));
                const OverlapPreview::Effect effect = preview.effect_of(directive);
                Plan changed = plan;
                changed.overlaps = effect.overlaps;
                const auto after = evaluate(graph, changed);
                const bool holds = effect.refusals.front().empty();
                ASSERT_TRUE(!holds || after->overlaps.directives.back().holds());
                ASSERT_EQ(effect.hazard.empty(), !any_reads_before_fill(*after));
                ASSERT_EQ(effect.refusal().empty(), holds && effect.hazard.empty());
                ASSERT_EQ(effect.step_ms, after->simulation.step_ms);
                ASSERT_EQ(effect.exposed_ms, after->simulation.exposed_ms);
                ASSERT_EQ(effect.peak_bytes, after->corrected_memory.peak_bytes);
                ASSERT_EQ(preview.refusal(OverlapWish::start_before, node).empty(), holds);
                ++(holds ? held : refused);
                hazards += effect.hazard.empty() ? 0 : 1;
            }
        }
    }
    EXPECT_GT(held, 20u);
    EXPECT_GT(refused, 5u);
    EXPECT_GT(hazards, 0u);
}

TEST(OverlapPreview, ReplacesWhatTheCollectiveHas) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = bucketed_plan(*graph);
    const OverlapDirective directive = early_gather(*graph);
    plan.overlaps.list = {directive, {.collective = "gone", .start_before = "mm"}};
    const auto evaluation = evaluate(graph, plan);
    const NodeId start =
        evaluation->graph->find(evaluation->undirected->name(evaluation->overlaps.directives[0].start));
    OverlapPreview preview(evaluation, plan, start);
    EXPECT_EQ(preview.directive(), directive);
    const std::string after(evaluation->graph->name(start - 1));
    const OverlapDirectives with =
        preview.effect_of({.collective = preview.collective(), .start_after = after}).overlaps;
    ASSERT_EQ(with.list.size(), 2u);
    EXPECT_EQ(with.list[0].collective, "gone");
    EXPECT_EQ(with.list[1].start_after, after);
    // What cannot be leaves it as it was.
    const OverlapPreview::Effect refused =
        preview.effect_of({.collective = preview.collective(), .start_before = preview.collective()});
    EXPECT_FALSE(refused.refusal().empty());
    EXPECT_TRUE(refused.displaced.empty());
    ASSERT_EQ(refused.overlaps.list.size(), 2u);
    EXPECT_EQ(refused.overlaps.list[1], directive);
}

/// What holds already is no edit: its hint would tell of nothing, and the plan would only grow.
TEST(OverlapPreview, RefusesWhatHoldsAlready) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = bucketed_plan(*graph);
    const OverlapDirective directive = early_gather(*graph);
    plan.overlaps.list = {directive};
    const auto evaluation = evaluate(graph, plan);
    const Graph& result = *evaluation->graph;
    const NodeId moved = result.find(evaluation->undirected->name(evaluation->overlaps.directives[0].start));
    std::size_t unchanged = 0;
    for (const CollectiveTiming& timing : evaluation->simulation.collectives) {
        OverlapPreview preview(evaluation, plan, timing.start);
        const std::string before(result.name(timing.start - 1)), behind(result.name(timing.start + 1));
        OverlapDirective held = preview.directive();
        (timing.start == moved ? held.start_before : held.start_after) = timing.start == moved ? behind : before;
        EXPECT_EQ(preview.effect_of(held).refusal(),
                  timing.start == moved ? "changes nothing: it is issued before " + behind + " already"
                                        : "changes nothing: it is issued after " + before + " already");
        ++unchanged;
    }
    EXPECT_GT(unchanged, 5u);
    // What the plan has is no new wish, nor is one that it loses.
    OverlapPreview preview(evaluation, plan, moved);
    EXPECT_EQ(preview.effect_of(directive).refusal(), "");
    EXPECT_EQ(preview.effect_of(OverlapDirective{.collective = directive.collective}).unchanged, "");
    // Of several, only where none moves.
    std::vector<NodeId> starts;
    std::vector<OverlapDirective> directives;
    for (const CollectiveTiming& timing : evaluation->simulation.collectives)
        if (timing.start != moved) starts.push_back(timing.start);
    OverlapPreview several(evaluation, plan, starts);
    for (std::size_t index = 0; index < several.count(); ++index)
        directives.push_back({.collective = several.collective(index),
                              .start_after = std::string(result.name(several.start(index) - 1))});
    EXPECT_EQ(several.effect_of(directives).refusal(), "changes nothing: the order is like that already");
    bool any_moves = false;
    for (std::size_t index = 0; index < several.count() && !any_moves; ++index) {
        OverlapPreview alone(evaluation, plan, starts[index]);
        const OverlapDirective behind{.collective = alone.collective(), .hide_behind = "layers.0"};
        any_moves = alone.effect_of(behind).refusal().empty();
        if (any_moves) directives[index] = behind;
    }
    ASSERT_TRUE(any_moves);
    EXPECT_EQ(several.effect_of(directives).unchanged, "");
    // Wrapping them to keep the order is a change.
    plan.overlaps.insert_overlap_deps = true;
    const auto kept = evaluate(graph, plan);
    const NodeId start = kept->simulation.collectives.back().start;
    OverlapPreview wrapping(kept, plan, start);
    EXPECT_EQ(
        wrapping
            .effect_of({.collective = wrapping.collective(), .start_after = std::string(kept->graph->name(start - 1))})
            .unchanged,
        "");
}

/// Several collectives moved at once: those that can move do, and the figures are those of the plan that results.
TEST(OverlapPreview, MovesSeveralCollectives) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = bucketed_plan(*graph);
    plan.overlaps.list = {early_gather(*graph)};
    const auto evaluation = evaluate(graph, plan);
    std::vector<NodeId> starts;
    for (const CollectiveTiming& timing : evaluation->simulation.collectives) starts.push_back(timing.start);
    OverlapPreview preview(evaluation, plan, starts);
    std::size_t held = 0, refused = 0;
    for (const NodeId step : {5u, 20u, 60u}) {
        std::vector<OverlapDirective> directives;
        for (std::size_t index = 0; index < preview.count(); ++index) {
            const NodeId place = preview.start(index) - std::min(step, preview.start(index));
            directives.push_back(
                {.collective = preview.collective(index), .start_before = std::string(evaluation->graph->name(place))});
        }
        const OverlapPreview::Effect effect = preview.effect_of(directives);
        ASSERT_EQ(effect.refusals.size(), starts.size());
        const auto can = static_cast<std::size_t>(std::ranges::count(effect.refusals, std::string()));
        held += can;
        refused += starts.size() - can;
        Plan changed = plan;
        changed.overlaps = effect.overlaps;
        const auto after = evaluate(graph, changed);
        // The plan's one directive holds before, and so does all that is asked for and not refused.
        EXPECT_EQ(std::ssize(effect.displaced),
                  std::ranges::count_if(after->overlaps.directives, std::not_fn(&DirectiveOutcome::holds)));
        EXPECT_EQ(effect.step_ms, after->simulation.step_ms);
        EXPECT_EQ(effect.exposed_ms, after->simulation.exposed_ms);
        EXPECT_EQ(effect.peak_bytes, after->corrected_memory.peak_bytes);
    }
    EXPECT_GT(held, 5u);
    EXPECT_GT(refused, 2u);
}

}  // namespace
}  // namespace overlap
