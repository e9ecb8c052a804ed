#include "core/views/bucket_figures.h"

#include <gtest/gtest.h>

#include "core/pipeline/evaluation.h"
#include "core/views/removed_collectives.h"
#include "tests/passes/pass_fixture.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

TEST(BucketFigures, AreWhatThePassMakes) {
    const auto graph = test_graph("llama3_8b_fsdp64_aot_fw");
    const ModuleTree tree(*graph, ModuleSource::module_stack);
    const BucketingEligibility eligibility(*graph);
    Plan plan = make_plan(*graph, "Plan A");
    plan.buckets = one_bucket_per_block(tree, graph.get());
    const auto evaluation = evaluate(graph, plan);
    ASSERT_FALSE(evaluation->refused);
    ASSERT_EQ(evaluation->reports.size(), 1u);
    std::vector<std::size_t> merged(plan.buckets.size(), 0);
    for (const BucketReport& bucket : evaluation->reports[0].buckets) {
        const BucketFigures figures = bucket_figures(*graph, tree, eligibility, plan.buckets[*bucket.plan_entry]);
        ASSERT_LT(merged[*bucket.plan_entry], figures.collectives.size());
        const MergedCollective& expected = figures.collectives[merged[*bucket.plan_entry]++];
        EXPECT_EQ(bucket.kind, expected.kind);
        EXPECT_EQ(bucket.process_group, expected.process_group);
        EXPECT_EQ(bucket.dtype, expected.dtype);
        EXPECT_EQ(bucket.bytes, expected.bytes);
        EXPECT_EQ(bucket.members.size(), expected.members.size());
        const NodeId start = evaluation->graph->find(bucket.start);
        ASSERT_NE(start, no_node);
        ASSERT_TRUE(expected.time_ms);
        EXPECT_NEAR(evaluation->times_ms[start], *expected.time_ms, 1e-6);
    }
}

TEST(BucketFigures, CountKindsAndParameters) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    const ModuleTree tree(*graph, ModuleSource::module_fqn);
    const BucketingEligibility eligibility(*graph);
    const BucketFigures layer = bucket_figures(*graph, tree, eligibility, {{"layers.0"}});
    EXPECT_GT(layer.count(CollectiveKind::all_gather), 0u);
    EXPECT_GT(layer.count(CollectiveKind::reduce_scatter), 0u);
    EXPECT_EQ(layer.count(CollectiveKind::all_reduce), 0u);
    EXPECT_GT(layer.bytes(CollectiveKind::all_gather), 0);
    EXPECT_GT(*layer.time_ms(CollectiveKind::all_gather), 0);
    EXPECT_FALSE(layer.parameters.empty());
    for (const NodeId parameter : layer.parameters) EXPECT_EQ(graph->op(parameter), NodeOp::placeholder);
    const BucketFigures nothing = bucket_figures(*graph, tree, eligibility, {{"no.such.module"}});
    EXPECT_TRUE(nothing.collectives.empty());
    EXPECT_EQ(nothing.time_ms(CollectiveKind::all_gather), 0);
}

class BucketTimes : public test::PassTest {
  protected:
    /// What gathers of these times take as one bucket, in a graph that knows no link.
    std::optional<double> merged(const std::vector<std::optional<double>>& times_ms) {
        std::vector<NodeId> parameters, waits;
        for (std::size_t index = 0; index < times_ms.size(); ++index)
            parameters.push_back(placeholder(std::string("w").append(std::to_string(index))));
        for (std::size_t index = 0; index < times_ms.size(); ++index) {
            NodeMetadata metadata;
            metadata.estimate_ms = times_ms[index];
            metadata.module_fqn = builder_.intern("layers.0");
            const NodeId gather = call(
                std::string("gather").append(std::to_string(index)), "_c10d_functional.all_gather_into_tensor.default",
                {Value::of_node(parameters[index]), Value::of_integer(8), builder_.string("0")}, {64}, metadata);
            waits.push_back(wait(std::string("full").append(std::to_string(index)), gather));
        }
        std::vector<Value> returned;
        for (const NodeId waited : waits) returned.push_back(Value::of_node(waited));
        builder_.output(returned);
        const Graph graph = builder_.finish({});
        const ModuleTree tree(graph, ModuleSource::module_fqn);
        const BucketFigures figures = bucket_figures(graph, tree, BucketingEligibility(graph), {{"layers.0"}});
        EXPECT_EQ(figures.count(CollectiveKind::all_gather), times_ms.size());
        return figures.time_ms(CollectiveKind::all_gather);
    }
};

TEST_F(BucketTimes, OfNoLinkAreTheSumOfTheMembers) {
    EXPECT_EQ(merged({4, 2}), 6);
}

TEST_F(BucketTimes, OfNoLinkAreUnknownWhereAMembersIs) {
    EXPECT_EQ(merged({4, std::nullopt}), std::nullopt);
}

Plan deduplicating(const Graph& graph) {
    Plan plan = make_plan(graph, "Plan A");
    plan.buckets = {{{"layers.0"}, false, {}}};
    plan.pipeline.insert(plan.pipeline.begin(), {"deduplicate_fsdp_unshard_chains_pass"});
    return plan;
}

TEST(BucketFigures, LeaveOutWhatThePlanTakesAway) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    const ModuleTree tree(*graph, ModuleSource::module_fqn);
    const BucketingEligibility eligibility(*graph);
    const auto evaluation = evaluate(graph, deduplicating(*graph));
    ASSERT_FALSE(evaluation->refused);
    EXPECT_FALSE(removed_collectives(*evaluation).empty());
    for (const NodeId node : removed_collectives(*evaluation))
        EXPECT_EQ(std::ranges::count(evaluation->origin, node), 0);
    std::int64_t gathered = 0;
    for (const BucketReport& bucket : evaluation->reports.back().buckets)
        if (bucket.kind == CollectiveKind::all_gather) gathered += bucket.bytes;
    const BucketFigures figures =
        bucket_figures(*graph, tree, eligibility, {{"layers.0"}}, removed_collectives(*evaluation));
    EXPECT_EQ(figures.bytes(CollectiveKind::all_gather), gathered);
    EXPECT_LT(gathered, bucket_figures(*graph, tree, eligibility, {{"layers.0"}}).bytes(CollectiveKind::all_gather));
}

/// Copy engines do the same work: what a pass makes stands for what it takes away.
TEST(BucketFigures, WhatAPassReplacesRuns) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = make_plan(*graph, "Plan A");
    plan.pipeline = {{"replace_collectives_with_low_contention",
                      {{"low_contention_min_bytes_per_rank", OptionValue(std::int64_t{0})},
                       {"low_contention_skip_overlap_check", OptionValue(true)}}}};
    const auto evaluation = evaluate(graph, plan);
    ASSERT_FALSE(evaluation->refused);
    EXPECT_NE(evaluation->graph, graph);
    EXPECT_TRUE(removed_collectives(*evaluation).empty());
}

TEST(BucketFigures, ListWhatNoEntryCovers) {
    const auto graph = test_graph("llama3_8b_fsdp64_aot_fw");
    const ModuleTree tree(*graph, ModuleSource::module_stack);
    const BucketingEligibility eligibility(*graph);
    const auto all = bucketable_collectives(*graph, tree, eligibility);
    ASSERT_EQ(all.size(), eligibility.collectives().size());
    EXPECT_EQ(uncovered_collectives(all, tree, {}).size(), all.size());
    std::vector<BucketEntry> buckets = one_bucket_per_block(tree, graph.get());
    EXPECT_TRUE(uncovered_collectives(all, tree, buckets).empty());
    std::erase_if(buckets, [](const BucketEntry& entry) { return entry.modules.front() == "layers.3"; });
    const auto uncovered = uncovered_collectives(all, tree, buckets);
    ASSERT_FALSE(uncovered.empty());
    for (const BucketableCollective& each : uncovered) {
        EXPECT_TRUE(tree.path(each.module).starts_with("layers.3.")) << tree.path(each.module);
        EXPECT_NE(each.parameter, no_node);
        EXPECT_GT(each.bytes, 0);
    }
}

TEST(BucketFigures, TellTheBucketOfEachModule) {
    const auto graph = test_graph("llama3_8b_fsdp64_aot_fw");
    const ModuleTree tree(*graph, ModuleSource::module_stack);
    const auto none = buckets_of_modules(tree, {});
    EXPECT_EQ(none, std::vector<std::int32_t>(tree.module_count(), -1));

    // The first entry counts, be it the inner module's or the outer one's; modules that are not there tell nothing.
    const std::vector<BucketEntry> buckets{
        {{"layers.3.attention", "nothing"}}, {{"layers.3"}}, {{"layers.1", "layers.5"}}, {{"layers.1.feed_forward"}}};
    const auto bucket_of = buckets_of_modules(tree, buckets);
    for (ModuleTree::ModuleId module = 0; module < tree.module_count(); ++module) {
        const std::string path = tree.path(module) + '.';
        const int expected = path.starts_with("layers.3.attention.")                          ? 0
                             : path.starts_with("layers.3.")                                  ? 1
                             : path.starts_with("layers.1.") || path.starts_with("layers.5.") ? 2
                                                                                              : -1;
        EXPECT_EQ(bucket_of[module], expected) << path;
    }
    EXPECT_EQ(bucket_of[tree.find("layers.3.attention")], 0);
    EXPECT_EQ(bucket_of[tree.find("layers.1.feed_forward")], 2);
}

}  // namespace
}  // namespace overlap
