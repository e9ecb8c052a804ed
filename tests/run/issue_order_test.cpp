#include "core/run/issue_order.h"

#include <gtest/gtest.h>

#include "tests/cost/graph_sketch.h"
#include "tests/support/problem_of.h"

namespace overlap::test {
namespace {

/// A gather and a reduction, named and ordered as told.
RankAgreement agreement(bool gather_first, std::string_view name, std::string_view graph_digest) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    if (gather_first) sketch.gather(name, x, 1);
    sketch.reduce("sum", x, 1);
    if (!gather_first) sketch.gather(name, x, 1);
    return {std::string(graph_digest), issue_order(make_program(sketch.finish()))};
}

TEST(IssueOrder, NamesOfNodesDoNotMatterAndOrderDoes) {
    EXPECT_EQ(agreement(true, "a", "1").order.digest, agreement(true, "b", "1").order.digest);
    EXPECT_NE(agreement(true, "a", "1").order.digest, agreement(false, "a", "1").order.digest);
}

TEST(IssueOrder, ComputeAndWaitsAreNoPartOfIt) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId busy =
        sketch.call("busy", "aten.relu.default", GraphSketch::values({x}), {sketch.tensor("float32", {4})});
    const NodeId waited = sketch.wait("waited", sketch.gather("gathered", busy, 1));
    const Program program = make_program(sketch.finish({waited}));
    ASSERT_EQ(program.commands.size(), 3u);
    EXPECT_EQ(issue_order(program).lines, std::vector<std::string>{"all_gather on \"0\", float32 4 to 16"});
}

TEST(IssueOrder, TheFirstDifferenceIsToldWithWhatBothWouldIssue) {
    EXPECT_EQ(first_disagreement({agreement(true, "a", "1"), agreement(true, "b", "1"), agreement(false, "a", "1")}),
              "collective 1 differs: rank 0 issues all_gather on \"0\", float32 4 to 16; rank 2 issues all_reduce sum "
              "on \"0\", float32 4 to 4");
}

TEST(IssueOrder, ARankThatIssuesLessIsADifference) {
    RankAgreement shorter = agreement(true, "a", "1");
    shorter.order.lines.pop_back();
    EXPECT_EQ(
        first_disagreement({agreement(true, "a", "1"), shorter}),
        "collective 2 differs: rank 0 issues all_reduce sum on \"0\", float32 4 to 4; rank 1 issues nothing more");
}

TEST(IssueOrder, OtherGraphsWithTheSameOrderAreToldToo) {
    EXPECT_EQ(
        first_disagreement({agreement(true, "a", "1"), agreement(true, "a", "2")}),
        "the graph of rank 1 (digest 2) is not that of rank 0 (1), although both issue the same collectives in the "
        "same order");
    EXPECT_EQ(first_disagreement({agreement(true, "a", "1"), agreement(true, "a", "1")}), "");
}

TEST(IssueOrder, AnAgreementTravelsAsText) {
    const RankAgreement sent = agreement(true, "a", "0123");
    const RankAgreement received = read_agreement(agreement_text(sent));
    EXPECT_EQ(received.graph_digest, sent.graph_digest);
    EXPECT_EQ(received.order.digest, sent.order.digest);
    EXPECT_EQ(received.order.lines, sent.order.lines);
    EXPECT_EQ(problem_of([] { read_agreement("half a line"); }), "agreement of a rank: the last line has no end");
    EXPECT_EQ(problem_of([] { read_agreement("one line\n"); }),
              "agreement of a rank: expected two digests and a line a collective");
    const RankAgreement alone = read_agreement("of the graph\nof nothing\n");
    EXPECT_EQ(alone.graph_digest, "of the graph");
    EXPECT_EQ(alone.order.digest, "of nothing");
    EXPECT_TRUE(alone.order.lines.empty()) << "a rank may have no collectives";
}

TEST(IssueOrder, DigestsAreTheKnownOnesOfTheirAlgorithm) {
    EXPECT_EQ(text_digest(""), "cbf29ce484222325");
    EXPECT_EQ(text_digest("a"), "af63dc4c8601ec8c");
}

}  // namespace
}  // namespace overlap::test
