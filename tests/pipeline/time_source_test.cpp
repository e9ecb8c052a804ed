#include "core/pipeline/time_source.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/cost_model.h"
#include "core/cost/with_cost_model.h"
#include "core/pipeline/evaluation.h"
#include "core/pipeline/overlap_preview.h"
#include "core/predict/compiled_times.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

constexpr Compilation blocks{.scope = CompiledScope::blocks};

/// A graph on GPUs of one host, whose tensor parallelism and FSDP go over the same links.
std::shared_ptr<const Graph> on_one_host(bool share) {
    NamedCostModel model = *built_in_cost_model("h100-sxm");
    model.contention->groups_share_links = share;
    return with_cost_model(test_graph("llama3_debugmodel_fsdp4_tp2.prebucket"), model).graph;
}

std::vector<std::int64_t> copy_of(std::span<const std::int64_t> sizes) {
    return {sizes.begin(), sizes.end()};
}

/// What a trace has of an operator with one output: its name and the sizes of its tensors.
ProfiledOperator profiled(const Graph& graph, NodeId node, const std::string& name, double time_ms) {
    ProfiledOperator known;
    known.name = name;
    for (const NodeId input : graph.inputs(node)) {
        const TensorMeta& tensor = graph.outputs(input)[0];
        known.shapes.push_back(copy_of(graph.shape(tensor)));
        known.strides.push_back(copy_of(graph.stride(tensor)));
    }
    known.dtype = graph.outputs(node)[0].dtype;
    known.time_us = time_ms * 1e3;
    return known;
}

/// The first node of a target for which `wanted` holds; no_node where there is none.
template <typename Wanted>
NodeId first(const Graph& graph, std::string_view target, Wanted wanted) {
    for (NodeId node = 0; node < graph.node_count(); ++node)
        if (graph.target(node) == target && wanted(node)) return node;
    return no_node;
}

TEST(SourcedTimes, WhatATraceDoesNotKnowIsOfTheCompiledJob) {
    const auto graph = with_compilation(
        with_cost_model(test_graph("llama3_debugmodel_fsdp8.prebucket"), *built_in_cost_model("h100-sxm")).graph,
        blocks);
    const CompiledTimes compiled = compiled_times(*graph, blocks);
    const NodeId product = first(*graph, "aten.mm.default", [](NodeId) { return true; });
    const NodeId fused = first(*graph, "aten.mul.Tensor", [&](NodeId node) { return compiled.generated[node]; });
    ASSERT_NE(product, no_node);
    ASSERT_NE(fused, no_node);
    ProfileRecords records;
    records.operators = {profiled(*graph, product, "aten::mm", 7), profiled(*graph, fused, "aten::mul", 5)};
    const TimeSource source{"trace.json", ProfileTables(records), false, blocks};
    const SourcedTimes times = sourced_times(*graph, &source);
    EXPECT_GT(times.operators, 0u);
    EXPECT_EQ(evaluate_baseline(graph, {}, std::make_shared<const TimeSource>(source))->sourced_operators,
              times.operators);
    EXPECT_EQ(times.times_ms[product], 7);
    std::uint32_t others = 0;
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        if (times.times_ms[node] == 7) continue;
        ++others;
        // The trace's multiplication ran by itself; here it is a part of a kernel.
        EXPECT_EQ(times.times_ms[node], compiled.times_ms[node]) << graph->name(node);
    }
    EXPECT_EQ(others + times.operators, graph->node_count());

    const TimeSource as_traced{"trace.json", ProfileTables(records), false, {}};
    EXPECT_EQ(sourced_times(*graph, &as_traced).times_ms[fused], 5);
}

TEST(SourcedSimulation, CollectivesThatATraceDoesNotKnowShareLinks) {
    const auto graph = on_one_host(true);
    const std::vector<double> times_ms = node_times_ms(*graph);
    const SourcedSimulation modelled = sourced_simulation(*graph, times_ms, nullptr);
    ASSERT_EQ(modelled.shared_links.size(), 1u);
    EXPECT_GT(modelled.shared_links[0].size(), 1u);
    const TimeSource knows_nothing{"trace.json", ProfileTables(ProfileRecords{})};
    const SourcedSimulation unknown = sourced_simulation(*graph, times_ms, &knows_nothing);
    EXPECT_EQ(unknown.shared_links, modelled.shared_links);
    EXPECT_EQ(unknown.simulation.step_ms, modelled.simulation.step_ms);

    // One collective that the trace has measured stands for its group, and what is measured was slowed already.
    const CollectiveTiming& known = modelled.simulation.collectives.front();
    const ProcessGroup& group = *graph->header().process_group(graph->group_name(known.start));
    const TensorMeta& output = graph->outputs(known.start)[0];
    ProfiledCollective record;
    record.name = "_allgather_base";
    record.ranks.assign(group.ranks.begin(), group.ranks.end());
    std::ranges::sort(record.ranks);
    record.group_size = static_cast<std::int64_t>(record.ranks.size());
    record.output_elements = graph->element_count(output);
    record.dtype = c10_dtype_name(output.dtype);
    record.time_us = 100;
    ProfileRecords records;
    records.collectives = {record};
    const TimeSource measured{"trace.json", ProfileTables(records)};
    ASSERT_GT(sourced_times(*graph, &measured).collectives, 0u);
    for (const std::vector<std::string>& link : sourced_simulation(*graph, times_ms, &measured).shared_links)
        EXPECT_EQ(std::ranges::find(link, group.name), link.end());
}

Plan with_groups_of_their_own(const Graph& graph) {
    Plan plan = make_plan(graph, "Plan A");
    plan.buckets = one_bucket_per_block(ModuleTree(graph, preferred_module_source(graph)), &graph);
    plan.pipeline.insert(plan.pipeline.begin(), {"reassign_collective_pgs_pass"});
    return plan;
}

TEST(SourcedSimulation, GroupsThatPassesMakeShareTheirLinks) {
    const auto sharing = on_one_host(true), apart = on_one_host(false);
    const Plan plan = with_groups_of_their_own(*sharing);
    const auto shared = evaluate(sharing, plan), alone = evaluate(apart, plan);
    ASSERT_FALSE(shared->refused);
    std::vector<std::string> made;
    for (const GroupTiming& group : shared->simulation.groups)
        if (!sharing->header().process_group(group.process_group)) made.push_back(group.process_group);
    ASSERT_FALSE(made.empty());
    const SourcedSimulation again = sourced_simulation(*shared->graph, shared->times_ms, shared->time_source.get());
    ASSERT_EQ(again.shared_links.size(), 1u);
    for (const std::string& group : made)
        EXPECT_NE(std::ranges::find(again.shared_links[0], group), again.shared_links[0].end()) << group;
    EXPECT_EQ(again.simulation.step_ms, shared->simulation.step_ms);
    EXPECT_GT(shared->simulation.step_ms, alone->simulation.step_ms);
}

/// Directives dragged over a plan whose passes make groups, on links that these share with others.
void expect_preview_as_evaluation(const std::shared_ptr<const Graph>& graph) {
    const Plan plan = with_groups_of_their_own(*graph);
    const auto evaluation = evaluate(graph, plan);
    ASSERT_FALSE(evaluation->refused);
    std::size_t held = 0;
    for (const CollectiveTiming& timing : evaluation->simulation.collectives) {
        OverlapPreview preview(evaluation, plan, timing.start);
        const NodeId node = timing.start - timing.start / 3;
        if (evaluation->graph->op(node) != NodeOp::call_function || node == timing.start) continue;
        const OverlapDirective directive{.collective = preview.collective(),
                                         .start_before = std::string(evaluation->graph->name(node))};
        const OverlapPreview::Effect effect = preview.effect_of(directive);
        Plan changed = plan;
        changed.overlaps = effect.overlaps;
        const auto after = evaluate(graph, changed);
        EXPECT_EQ(effect.step_ms, after->simulation.step_ms) << describe(directive);
        EXPECT_EQ(effect.exposed_ms, after->simulation.exposed_ms) << describe(directive);
        held += effect.refusal().empty();
    }
    EXPECT_GT(held, 3u);
}

TEST(OverlapPreview, TellsWhatAnEvaluationTellsOverSharedLinks) {
    expect_preview_as_evaluation(on_one_host(true));
}

TEST(OverlapPreview, TellsWhatAnEvaluationTellsOfACompiledJob) {
    expect_preview_as_evaluation(with_compilation(on_one_host(true), blocks));
}

}  // namespace
}  // namespace overlap
