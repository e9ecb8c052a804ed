#include "core/graph/editing/graph_editor.h"
#include "core/passes/hazards.h"
#include "tests/passes/altered_graph.h"
#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

/// Reports of passes that know nothing of what the graph has: only what both have is looked at.
class ReportedBucketsTest : public testing::Test {
  protected:
    using Change = std::vector<test::Difference>;

    /// A gradient that is scattered, then reduced among replicas, and computed with.
    static std::shared_ptr<const Graph> sharded(const Change& change = {}) {
        const auto graph =
            test::graph_of({"x"},
                           {{"scatter", "_c10d_functional.reduce_scatter_tensor.default", R"(["%x", "avg", 8, "0"])"},
                            {"wait_scatter", "_c10d_functional.wait_tensor.default", R"(["%scatter"])"},
                            {"reduce", "_c10d_functional.all_reduce.default", R"(["%wait_scatter", "sum", "1"])"},
                            {"wait_reduce", "_c10d_functional.wait_tensor.default", R"(["%reduce"])"},
                            {"y", "aten.mm.default", R"(["%wait_reduce", "%wait_reduce"])"}},
                           R"("%y")");
        return test::altered(*graph, change);
    }
    static BucketReport bucket(CollectiveKind kind, const std::string& start, const std::vector<std::string>& waits,
                               const std::vector<std::string>& members = {}) {
        BucketReport report;
        report.kind = kind;
        report.start = start;
        report.waits = waits;
        report.members = members;
        return report;
    }
    static std::vector<std::string> problems(const std::shared_ptr<const Graph>& graph, const BucketReport& bucket) {
        PassReport report;
        report.buckets = {bucket};
        std::vector<std::string> texts;
        for (const Problem& problem : find_hazards(*graph, *graph, report)) {
            std::string text(problem_kind_name(problem.kind));
            for (const std::string& node : problem.nodes) text += " " + node;
            texts.push_back(text);
        }
        return texts;
    }
    using Names = std::vector<std::string>;
};

TEST_F(ReportedBucketsTest, AScatterIsExposedWhereNothingIsComputedBeforeItsWait) {
    const auto scattered = [&](const std::string& start, const Names& waits) {
        return problems(sharded(), bucket(CollectiveKind::reduce_scatter, start, waits));
    };
    EXPECT_EQ(scattered("scatter", {"wait_scatter"}), Names({"exposed_reduction scatter"}));
    EXPECT_EQ(scattered("scatter", {}), Names());
    EXPECT_EQ(scattered("gone", {"wait_scatter"}), Names());
    EXPECT_EQ(scattered("scatter", {"gone"}), Names());
    EXPECT_EQ(scattered("wait_scatter", {"scatter"}), Names());
    EXPECT_EQ(scattered("reduce", {"wait_reduce"}), Names());  // no all-reduce needs it
    const auto computes = test::with_call(*sharded(), {"z", "aten.mm.default", R"(["%x", "%x"])"}, "wait_scatter");
    EXPECT_EQ(problems(computes, bucket(CollectiveKind::reduce_scatter, "scatter", {"wait_scatter"})), Names());
}

TEST_F(ReportedBucketsTest, OnlyReductionsOfTheInputAreOfActivations) {
    const auto reduced = [&](const std::string& member, std::optional<std::size_t> entry) {
        BucketReport report = bucket(CollectiveKind::all_reduce, "reduce", {}, {member});
        report.plan_entry = entry;
        PassReport pass;
        pass.buckets = {report};
        return find_hazards(*sharded(), *sharded(), pass);
    };
    EXPECT_TRUE(reduced("gone", 2).empty());
    ASSERT_EQ(reduced("reduce", 2).size(), 1u);
    EXPECT_EQ(reduced("reduce", 2).front().plan_entry, 2);
    EXPECT_EQ(reduced("reduce", {}).front().plan_entry, -1);
}

TEST_F(ReportedBucketsTest, WhatWasPackedBeforeShowsInTheNodesAroundIt) {
    const auto packed =
        test::graph_of({"x", "y"},
                       {{"cat", "aten.cat.default", R"([["%x", "%y"]])"},
                        {"start", "_c10d_functional.reduce_scatter_tensor.default", R"(["%cat", "avg", 8, "0"])"},
                        {"wait", "_c10d_functional.wait_tensor.default", R"(["%start"])"},
                        {"split", "aten.split_with_sizes.default", R"(["%wait", [1, 1]])"},
                        {"a", "operator.getitem", R"(["%split", 0])"}},
                       R"("%a")");
    const auto again = [&](const std::shared_ptr<const Graph>& graph, const std::string& member = "start") {
        return problems(graph, bucket(CollectiveKind::reduce_scatter, "bucket", {}, {member}));
    };
    const Names noted = {"not_idempotent start"};
    EXPECT_EQ(again(packed), noted);
    EXPECT_EQ(again(packed, "gone"), Names());
    const std::string out = R"("_c10d_functional.all_gather_into_tensor_out.default")";
    EXPECT_EQ(again(test::altered(*packed, {{"start", "/target", out}, {"start", "/args/0", R"("%x")"}})), noted);
    const std::string trace = R"("bucketing._pre_bucket_reduce_scatter.default")";
    EXPECT_EQ(again(test::altered(*packed, {{"cat", "/target", trace}})), noted);
    for (const Change& change :
         std::vector<Change>{{{"start", "/args", "[]"}},
                             {{"start", "/args/0", "1"}},
                             {{"start", "/args/0", R"("%x")"}},
                             {{"cat", "/target", R"("aten.view.default")"}, {"cat", "/args", "[]"}},
                             {{"split", "/target", R"("aten.split.Tensor")"}}}) {
        EXPECT_EQ(again(test::altered(*packed, change)), Names()) << change.front();
    }
    for (const std::string read : {"start", "wait"}) {
        const test::Call reader{"other", "aten.neg.default", R"(["%)" + read + R"("])"};
        EXPECT_EQ(again(test::with_call(*packed, reader, "output")), Names()) << read;
    }
    const test::Call view{"view", "aten.view.default", R"(["%cat", [-1]])"};
    EXPECT_EQ(again(test::altered(*test::with_call(*packed, view, "start"), {{"start", "/args/0", R"("%view")"}})),
              noted);
}

TEST_F(ReportedBucketsTest, AGatherIsForBothWhereSomeMembersRunInBackward) {
    const auto gathers =
        test::graph_of({"x"},
                       {{"forward", "_c10d_functional.all_gather_into_tensor.default", R"(["%x", 8, "0"])"},
                        {"backward", "_c10d_functional.all_gather_into_tensor.default", R"(["%x", 8, "0"])"}},
                       R"(["%forward", "%backward"])");
    const auto graph = test::altered(*gathers, {{"backward", "/autograd_backward", "true"}});
    const auto merged = [&](const Names& members) {
        return problems(graph, bucket(CollectiveKind::all_gather, "merged", {}, members));
    };
    EXPECT_EQ(merged({"forward", "backward"}), Names({"gathered_for_both merged"}));
    EXPECT_EQ(merged({"forward", "gone"}), Names());
    EXPECT_EQ(merged({"backward"}), Names());
}

TEST_F(ReportedBucketsTest, NodesThatStandBeforeTheirInputsAreNamed) {
    const auto calls = test::graph_of({"x"},
                                      {{"first", "aten.neg.default", R"(["%x"])"},
                                       {"of_first", "aten.neg.default", R"(["%first"])"},
                                       {"second", "aten.neg.default", R"(["%x"])"},
                                       {"of_second", "aten.neg.default", R"(["%second"])"}},
                                      R"(["%of_first", "%of_second"])");
    const auto moved = [&](const std::vector<std::pair<std::string, std::string>>& moves) {
        GraphEditor editor(calls);
        for (const auto& move : moves) editor.move_before(calls->find(move.first), calls->find(move.second));
        std::vector<NodeId> origin;
        const auto graph = editor.finish(origin);
        return find_hazards(*graph, *graph, {});
    };
    EXPECT_TRUE(moved({}).empty());
    const std::vector<Problem> one = moved({{"of_first", "first"}});
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].kind, ProblemKind::cyclic_order);
    EXPECT_EQ(one[0].nodes, Names({"of_first", "first"}));
    EXPECT_TRUE(one[0].message.starts_with("\"of_first\" is ordered after \"first\", which stands behind it: "))
        << one[0].message;
    const std::vector<Problem> two = moved({{"of_first", "first"}, {"of_second", "second"}});
    ASSERT_EQ(two.size(), 1u);
    EXPECT_EQ(two[0].nodes, Names({"of_first", "first", "of_second"}));
    EXPECT_NE(two[0].message.find("which stands behind it, and so it is with another one: "), std::string::npos)
        << two[0].message;
}

TEST_F(ReportedBucketsTest, ACopyFillsWhatItsViewsShow) {
    const auto filled =
        test::graph_of({"x"},
                       {{"empty", "aten.empty.memory_format", "[[8]]"},
                        {"view", "aten.view.default", R"(["%empty", [8]])"},
                        {"early", "aten.neg.default", R"(["%empty"])"},
                        {"copy", "aten.split_with_sizes_copy.out", R"(["%x", [8]])", R"({"out": ["%view"]})"}},
                       R"(["%early", "%view"])");
    const auto reads = [](const std::shared_ptr<const Graph>& graph) {
        Names nodes;
        for (const Problem& problem : reads_before_fill(*graph)) nodes = problem.nodes;
        return nodes;
    };
    EXPECT_EQ(reads(filled), Names({"early", "copy"}));
    EXPECT_EQ(reads(test::altered(*filled, {{"copy", "/kwargs", "{}"}})), Names());
    // A view of several buffers is taken for a buffer itself.
    EXPECT_EQ(reads(test::altered(*filled, {{"view", "/args/1", R"(["%x"])"}})), Names());
}

TEST(NewReads, AReadIsNewUnlessThatCopyHadThatReaderBefore) {
    Problem read;
    read.kind = ProblemKind::read_before_fill;
    read.nodes = {"a", "b", "copy"};
    const auto with = [&](ProblemKind kind, const std::vector<std::string>& nodes) {
        Problem other = read;
        other.kind = kind;
        other.nodes = nodes;
        return other;
    };
    const auto is_new = [&](const Problem& known) { return is_new_read_before_fill(read, std::span(&known, 1)); };
    EXPECT_TRUE(is_new_read_before_fill(read, {}));
    EXPECT_FALSE(is_new(read));
    EXPECT_FALSE(is_new(with(read.kind, {"a", "b", "c", "copy"})));
    EXPECT_TRUE(is_new(with(read.kind, {"a", "copy"})));
    EXPECT_TRUE(is_new(with(read.kind, {"a", "b", "copy_1"})));
    EXPECT_TRUE(is_new(with(ProblemKind::cyclic_order, {"a", "b", "copy"})));
    EXPECT_FALSE(are_reads_before_same_fill(with(ProblemKind::cyclic_order, {"copy"}), read));
}

}  // namespace
}  // namespace overlap
