#include "core/passes/registry/registry.h"
#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

/// Groups "0" (ranks 0..3) and "tp" (ranks 6, 4, 2, 0; this process is rank 2), with links.
class ProcessGroupPassesTest : public test::PassTest {
  protected:
    ProcessGroupPassesTest() {
        header_.process_groups = {{"0", {0, 1, 2, 3}, 2, "", "mesh_fsdp"}, {"tp", {6, 4, 2, 0}, 2, "", ""}};
        header_.cost.emplace();
        header_.cost->links = {{"0", 0.02, 1e11}, {"tp", 0.01, 4e11}};
        header_.cost->json = R"({"links": [{"process_group": "0", "latency_ms": 0.02, "bytes_per_s": 1e11},
                                           {"process_group": "tp", "latency_ms": 0.01, "bytes_per_s": 4e11}]})";
    }
    static constexpr std::string_view reassign = "reassign_collective_pgs_pass";
    static constexpr std::string_view isolate = "isolate_ep_process_group_pass";
};

TEST_F(ProcessGroupPassesTest, GathersLeaveTheGroupOfFsdp) {
    const NodeId w = placeholder("w"), x = placeholder("x");
    const NodeId full = wait("full", all_gather("gather", call("cast", "aten._to_copy.default", {w})));
    const NodeId y = call("y", "aten.mm.default", {x, full});
    const NodeId activation = wait("activation", all_gather("gather_activation", y));
    const NodeId other = wait("other", all_gather("gather_tp", y, "tp"));
    output({wait("gradient", reduce_scatter("scatter", activation)), other});
    run(reassign);
    EXPECT_EQ(group("gather"), "0#fsdp_extra");
    EXPECT_EQ(group("gather_activation"), "0#fsdp_extra");  // every gather of the group moves
    EXPECT_EQ(group("gather_tp"), "tp");
    EXPECT_EQ(group("scatter"), "0");
    EXPECT_EQ(problem_kinds(), Names({"extra_group", "other_gathers_move"}));
    const ProcessGroup* extra = result_.graph->header().process_group("0#fsdp_extra");
    ASSERT_NE(extra, nullptr);
    EXPECT_EQ(extra->ranks, std::vector<int>({0, 1, 2, 3}));
    EXPECT_EQ(extra->rank, 2);
    EXPECT_EQ(extra->description, "fsdp_extra");
    ASSERT_NE(result_.graph->header().cost->link("0#fsdp_extra"), nullptr);
    EXPECT_EQ(result_.graph->header().cost->link("0#fsdp_extra")->bytes_per_s, 1e11);
    EXPECT_EQ(Json::parse(result_.graph->header().cost->json)["links"].size(), 3u);
    EXPECT_EQ(graph_->header().process_groups.size(), 2u);
}

TEST_F(ProcessGroupPassesTest, TheNewLinkKeepsWhatTheDocumentSaysOfTheOld) {
    header_.cost->json = R"({"wide": 1e999, "links": [{"process_group": "0", "hops": 1e999}], "name": "x"})";
    output({wait("full", all_gather("gather", placeholder("w")))});
    run(reassign);
    EXPECT_EQ(
        result_.graph->header().cost->json,
        R"({"wide": 1e999, "links": [{"process_group": "0", "hops": 1e999},{"process_group": "0#fsdp_extra", "hops": 1e999}], "name": "x"})");
}

TEST_F(ProcessGroupPassesTest, TheNewGroupSharesTheLinkOfTheOld) {
    header_.cost->contention = CostParameters::Contention{{}, 0, {{"tp"}, {"0", "ep"}}};
    header_.cost->json = R"({"wide": 1e999, "contention": {"shared_links": [["tp"], ["0", "ep"]], "kept": 1}})";
    output({wait("full", all_gather("gather", placeholder("w")))});
    run(reassign);
    const CostParameters& cost = *result_.graph->header().cost;
    EXPECT_EQ(cost.contention->shared_links[1], Names({"0", "ep", "0#fsdp_extra"}));
    EXPECT_EQ(cost.json,
              R"({"wide": 1e999, "contention": {"shared_links": [["tp"],["0","ep","0#fsdp_extra"]], "kept": 1}})");
}

TEST_F(ProcessGroupPassesTest, TheNewGroupNeedsNoLinks) {
    header_.cost.reset();
    output({wait("full", all_gather("gather", placeholder("w")))});
    run(reassign);
    EXPECT_NE(result_.graph->header().process_group("0#fsdp_extra"), nullptr);
    EXPECT_FALSE(result_.graph->header().cost);
    EXPECT_TRUE(result_.report.problems.front().message.starts_with(
        "1 collective of \"0\" (mesh_fsdp) move to a new group of the same ranks"))
        << result_.report.problems.front().message;
}

TEST_F(ProcessGroupPassesTest, SharedLinksNeedNoPlaceInTheDocument) {
    header_.cost->contention = CostParameters::Contention{{}, 0, {{"0", "ep"}}};
    output({wait("full", all_gather("gather", placeholder("w")))});
    run(reassign);
    EXPECT_EQ(result_.graph->header().cost->contention->shared_links[0], Names({"0", "ep", "0#fsdp_extra"}));
    EXPECT_FALSE(Json::parse(result_.graph->header().cost->json).contains("contention"));
}

TEST_F(ProcessGroupPassesTest, RanksOfTheNewGroupAscend) {
    output({wait("full", all_gather("gather", placeholder("w"), "tp"))});
    run(reassign);
    const ProcessGroup* extra = result_.graph->header().process_group("tp#fsdp_extra");
    ASSERT_NE(extra, nullptr);
    EXPECT_EQ(extra->ranks, std::vector<int>({0, 2, 4, 6}));
    EXPECT_EQ(extra->rank, 1);  // still the process of rank 2
    EXPECT_EQ(problem_kinds(), Names({"extra_group", "ranks_reordered"}));
    EXPECT_TRUE(result_.report.groups.at(0).ranks_reordered);
}

TEST_F(ProcessGroupPassesTest, GathersOfActivationsAreNoReason) {
    const NodeId w = placeholder("w"), x = placeholder("x");
    output({wait("full", all_gather("gather", call("sum", "aten.add.Tensor", {w, x})))});
    run(reassign);
    EXPECT_TRUE(is_input());
}

TEST_F(ProcessGroupPassesTest, AfterBucketingNothingIsFoundAndThatIsSaid) {
    const NodeId buffer = call("buffer", "bucketing._pre_bucket_all_gather.default", {placeholder("w")});
    const NodeId slice = call("slice", "aten.slice.Tensor", {buffer});
    const NodeId gather =
        call("gather", "_c10d_functional.all_gather_into_tensor_out.default",
             {Value::of_node(slice), Value::of_integer(4), builder_.string("0"), Value::of_node(buffer)});
    output({wait("full", gather)});
    run(reassign);
    EXPECT_TRUE(is_input());
    EXPECT_EQ(problem_kinds(), Names({"reassign_after_bucketing"}));
}

TEST_F(ProcessGroupPassesTest, TheOldNameIsUnderstoodWithANote) {
    output({wait("full", all_gather("gather", placeholder("w")))});
    run("overlap_fsdp_ag_rs_pass");
    EXPECT_EQ(group("gather"), "0#fsdp_extra");
    EXPECT_EQ(problem_kinds(), Names({"renamed_pass", "extra_group"}));
}

TEST_F(ProcessGroupPassesTest, RunningTwiceMovesTwiceAndThatIsSaid) {
    output({wait("full", all_gather("gather", placeholder("w")))});
    run("overlap_fsdp_ag_rs_pass");
    result_ = require_pass(reassign).run(result_.graph, {}, {});
    EXPECT_EQ(group("gather"), "0#fsdp_extra#fsdp_extra");
    EXPECT_EQ(problem_kinds(), Names({"extra_group", "reassigned_again"}));
    EXPECT_NE(result_.report.problems.back().message.find("\"0#fsdp_extra\""), std::string::npos);
}

TEST_F(ProcessGroupPassesTest, ExchangesLeaveASharedGroup) {
    const NodeId w = placeholder("w"), x = placeholder("x");
    const NodeId full = wait("full", all_gather("gather", w));
    const NodeId sent = wait("sent", exchange("dispatch", x));
    const NodeId alone = wait("alone", exchange("dispatch_tp", sent, "tp"));
    output({call("y", "aten.mm.default", {alone, full})});
    run(isolate);
    EXPECT_EQ(group("dispatch"), "0#ep_extra");
    EXPECT_EQ(group("dispatch_tp"), "tp");  // nobody else uses it
    EXPECT_EQ(group("gather"), "0");
    EXPECT_EQ(problem_kinds(), Names({"extra_group"}));
    EXPECT_EQ(Json::parse(result_.graph->header().process_group("0#ep_extra")->extra_json)["high_priority_stream"],
              true);
    ASSERT_EQ(result_.report.groups.size(), 1u);
    const GroupReport& created = result_.report.groups.front();
    EXPECT_EQ(created.name, "0#ep_extra");
    EXPECT_EQ(created.source, "0");
    EXPECT_TRUE(created.high_priority);
    EXPECT_FALSE(created.ranks_reordered);
    EXPECT_EQ(created.moved, Names({"dispatch"}));
}

TEST_F(ProcessGroupPassesTest, EqualRanksAloneAreNotSharing) {
    header_.process_groups.push_back({"ep", {0, 1, 2, 3}, 2, "", ""});
    output({wait("full", all_gather("gather", placeholder("w"))), wait("sent", exchange("dispatch", 0, "ep"))});
    run(isolate);
    EXPECT_TRUE(is_input());
}

TEST_F(ProcessGroupPassesTest, AfterReassigningTheExchangeIsAlone) {
    output({wait("full", all_gather("gather", placeholder("w"))), wait("sent", exchange("dispatch", 0))});
    run(reassign);
    const PassResult result = require_pass(isolate).run(result_.graph, {}, {});
    EXPECT_EQ(result.graph, result_.graph);
    ASSERT_EQ(result.report.problems.size(), 1u);
    EXPECT_EQ(result.report.problems.front().kind, ProblemKind::isolate_after_reassign);
}

TEST_F(ProcessGroupPassesTest, UnknownGroupsMatterOnlyWhereGroupsAreCompared) {
    output({wait("sent", exchange("dispatch", placeholder("x"), "nowhere"))});
    run(isolate);
    EXPECT_TRUE(is_input());
}

TEST_F(ProcessGroupPassesTest, CollectivesThatIsolationDoesNotLookAtAreTold) {
    const NodeId x = placeholder("x");
    const NodeId gather =
        call("gather_out", "_c10d_functional.all_gather_into_tensor_out.default",
             {Value::of_node(x), Value::of_integer(4), builder_.string("0"), Value::of_node(placeholder("buffer"))});
    output({wait("sent", exchange("dispatch", x)), wait("full", gather)});
    run(isolate);
    EXPECT_TRUE(is_input());  // nobody else is seen to use the group
    EXPECT_EQ(problem_kinds(), Names({"unseen_collectives"}));
    EXPECT_EQ(result_.report.problems.front().nodes, Names({"gather_out"}));
}

TEST_F(ProcessGroupPassesTest, AnUnknownGroupIsRefused) {
    const NodeId x = placeholder("x");
    output({wait("sent", exchange("dispatch", x, "nowhere")), wait("full", all_gather("gather", x))});
    EXPECT_NE(refusal(isolate).find("node \"dispatch\": the document does not list its process group \"nowhere\""),
              std::string::npos);
}

}  // namespace
}  // namespace overlap
