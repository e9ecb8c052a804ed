#include "core/views/process_groups.h"

#include <gtest/gtest.h>

#include "core/graph/editing/graph_editor.h"
#include "core/plan/group_passes.h"
#include "tests/passes/pass_fixture.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

/// A gather of 4 ms and, issued right behind it on the same group, an exchange of 1 ms, whose result is needed first.
class ProcessGroupsTest : public test::PassTest {
  protected:
    ProcessGroupsTest() {
        header_.process_groups = {{"0", {0, 1, 2, 3}, 2, "", "mesh_fsdp"}, {"tp", {2, 6}, 0, "", "mesh_tp"}};
        const NodeId w = placeholder("w"), x = placeholder("x");
        const NodeId gather = timed("gather", "_c10d_functional.all_gather_into_tensor.default",
                                    {Value::of_node(w), Value::of_integer(4), builder_.string("0")}, 4);
        const Value splits[] = {Value::of_integer(4), Value::of_integer(4)};
        const NodeId dispatch =
            timed("dispatch", "_c10d_functional.all_to_all_single.default",
                  {Value::of_node(x), builder_.list(splits), builder_.list(splits), builder_.string("0")}, 1);
        const NodeId sent = wait("sent", dispatch);
        output({sent, wait("full", gather)});
        graph_ = std::make_shared<const Graph>(builder_.finish(header_));
    }
    NodeId timed(std::string_view name, std::string_view target, std::vector<Value> args, double time_ms) {
        NodeMetadata metadata;
        metadata.estimate_ms = time_ms;
        return call(name, target, std::move(args), {8}, metadata);
    }
    std::shared_ptr<const Evaluation> after(std::string_view pass) const {
        Plan plan;
        plan.pipeline.push_back({std::string(pass)});
        return evaluate(graph_, plan);
    }
};

TEST_F(ProcessGroupsTest, OnlyTrueMakesAStreamOfHighPriority) {
    for (const auto& [written, is_high] :
         {std::pair{"true", true}, {"1", false}, {"\"true\"", false}, {"1e999", false}}) {
        GraphEditor editor(graph_);
        header_.process_groups.front().extra_json =
            std::string(R"({"further":1e999,"high_priority_stream":)") + written + "}";
        editor.set_header(header_);
        std::vector<NodeId> origin;
        const auto evaluation = evaluate_baseline(editor.finish(origin));
        EXPECT_EQ(process_group_figures(*evaluation).front().high_priority, is_high) << written;
    }
}

TEST_F(ProcessGroupsTest, WhatSharesAGroupQueues) {
    const auto evaluation = evaluate_baseline(graph_);
    const auto groups = process_group_figures(*evaluation);
    ASSERT_EQ(groups.size(), 2u);
    const ProcessGroupFigures& shared = groups.front();
    EXPECT_EQ(shared.name, "0");
    EXPECT_EQ(shared.title, "FSDP gathers + all-to-all");
    EXPECT_EQ(shared.timing, 0);
    EXPECT_EQ(shared.collectives, 2u);
    EXPECT_DOUBLE_EQ(shared.comm_ms, 5);
    EXPECT_DOUBLE_EQ(shared.exposed_ms, 5);
    ASSERT_EQ(shared.kinds.size(), 2u);
    EXPECT_EQ(shared.kinds.front().kind, CollectiveKind::all_gather);
    EXPECT_DOUBLE_EQ(shared.kinds.front().comm_ms, 4);
    EXPECT_DOUBLE_EQ(shared.queued_ms, 4);
    ASSERT_EQ(shared.queueing.size(), 1u);
    EXPECT_EQ(shared.queueing.front().waiting, CollectiveKind::all_to_all);
    EXPECT_EQ(shared.queueing.front().holding, CollectiveKind::all_gather);
    EXPECT_EQ(shared.queueing.front().collectives, 1u);
    EXPECT_EQ(shared.created, nullptr);
}

TEST_F(ProcessGroupsTest, AGroupThatNothingUsesIsThereAndHasNoLane) {
    const auto evaluation = evaluate_baseline(graph_);
    const ProcessGroupFigures unused = process_group_figures(*evaluation).back();
    EXPECT_EQ(unused.name, "tp");
    EXPECT_EQ(unused.title, "TP");
    EXPECT_EQ(unused.timing, -1);
    EXPECT_EQ(unused.collectives, 0u);
    EXPECT_TRUE(unused.same_ranks.empty());
}

TEST_F(ProcessGroupsTest, ACreatedGroupStandsBehindItsSourceWithAQueueOfItsOwn) {
    const auto evaluation = after(isolate_expert_group_pass);
    const auto groups = process_group_figures(*evaluation);
    ASSERT_EQ(groups.size(), 3u);
    const ProcessGroupFigures& created = groups[1];
    EXPECT_EQ(created.name, "0#ep_extra");
    ASSERT_NE(created.created, nullptr);
    EXPECT_EQ(created.creator->pass, isolate_expert_group_pass);
    EXPECT_EQ(created.created->source, "0");
    EXPECT_EQ(created.created->moved, std::vector<std::string>{"dispatch"});
    EXPECT_TRUE(created.high_priority);
    EXPECT_EQ(created.same_ranks, std::vector<std::string>{"0"});
    EXPECT_EQ(groups[0].same_ranks, std::vector<std::string>{"0#ep_extra"});
    EXPECT_EQ(groups[0].queued_ms, 0);
    EXPECT_EQ(created.queued_ms, 0);
    EXPECT_NE(created.timing, groups[0].timing);
    // The exchange no longer waits for the gather.
    EXPECT_DOUBLE_EQ(created.exposed_ms, 1);
    EXPECT_DOUBLE_EQ(evaluation->simulation.step_ms, 4);
    EXPECT_DOUBLE_EQ(evaluate_baseline(graph_)->simulation.step_ms, 5);
}

TEST_F(ProcessGroupsTest, RefusedPlansCreateNothing) {
    Plan plan;
    plan.pipeline = {{std::string(isolate_expert_group_pass)}, {"no_such_pass"}};
    const auto evaluation = evaluate(graph_, plan);
    ASSERT_TRUE(evaluation->refused);
    for (const ProcessGroupFigures& group : process_group_figures(*evaluation)) EXPECT_EQ(group.created, nullptr);
}

TEST_F(ProcessGroupsTest, AGroupThatIsUsedButNotListedIsShown) {
    GraphEditor editor(graph_);
    GraphHeader header = header_;
    header.process_groups.clear();
    editor.set_header(header);
    std::vector<NodeId> origin;
    const auto evaluation = evaluate_baseline(editor.finish(origin));
    const auto groups = process_group_figures(*evaluation);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_FALSE(groups.front().listed);
    EXPECT_EQ(groups.front().collectives, 2u);
}

TEST(ProcessGroups, FiguresAreThoseOfTheSimulation) {
    const auto evaluation = evaluate_baseline(test_graph("deepseek_v3_debugmodel_fsdp8_ep4.prebucket"));
    double comm_ms = 0, exposed_ms = 0;
    std::uint32_t collectives = 0;
    for (const ProcessGroupFigures& group : process_group_figures(*evaluation)) {
        comm_ms += group.comm_ms;
        exposed_ms += group.exposed_ms;
        collectives += group.collectives;
    }
    EXPECT_EQ(collectives, evaluation->simulation.collectives.size());
    EXPECT_NEAR(exposed_ms, evaluation->simulation.exposed_ms, 1e-9);
    double expected_ms = 0;
    for (const GroupTiming& group : evaluation->simulation.groups) expected_ms += group.comm_ms;
    EXPECT_NEAR(comm_ms, expected_ms, 1e-9);
}

TEST(ProcessGroups, RanksAreWrittenAsRanges) {
    EXPECT_EQ(ranks_text(std::vector<int>{}), "");
    EXPECT_EQ(ranks_text(std::vector{5}), "5");
    EXPECT_EQ(ranks_text(std::vector{0, 4}), "0, 4");
    EXPECT_EQ(ranks_text(std::vector{0, 1}), "0-1");
    EXPECT_EQ(ranks_text(std::vector{0, 8, 16, 24}), "0-24 step 8");
    EXPECT_EQ(ranks_text(std::vector{0, 1, 2, 3, 8, 9, 10, 11}), "0-3, 8-11");
    EXPECT_EQ(ranks_text(std::vector{6, 4, 2, 0}), "6, 4, 2, 0");
    EXPECT_EQ(ranks_text(std::vector{0, 3, 5, 6, 11, 13, 20}), "0, 3, 5-6 … 20");
}

}  // namespace
}  // namespace overlap
