#include "core/run/issue_order.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/cost/graph_sketch.h"

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
    EXPECT_NE(first_disagreement({agreement(true, "a", "1"), agreement(true, "a", "2")}).find("graph of rank 1"),
              std::string::npos);
    EXPECT_EQ(first_disagreement({agreement(true, "a", "1"), agreement(true, "a", "1")}), "");
}

TEST(IssueOrder, AnAgreementTravelsAsText) {
    const RankAgreement sent = agreement(true, "a", "0123");
    const RankAgreement received = read_agreement(agreement_text(sent));
    EXPECT_EQ(received.graph_digest, sent.graph_digest);
    EXPECT_EQ(received.order.digest, sent.order.digest);
    EXPECT_EQ(received.order.lines, sent.order.lines);
    EXPECT_THROW(read_agreement("half a line"), InputError);
    EXPECT_THROW(read_agreement("one line\n"), InputError);
}

TEST(IssueOrder, DigestsAreTheKnownOnesOfTheirAlgorithm) {
    EXPECT_EQ(text_digest(""), "cbf29ce484222325");
    EXPECT_EQ(text_digest("a"), "af63dc4c8601ec8c");
}

}  // namespace
}  // namespace overlap::test
