#include "core/passes/bucketing/eligibility.h"

#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

class EligibilityTest : public test::PassTest {
  protected:
    /// What keeps a node of the graph that has been built from being bucketed.
    BucketingObstacle obstacle(NodeId node) {
        if (!graph_) graph_ = std::make_shared<const Graph>(builder_.finish(header_));
        return BucketingEligibility(*graph_).obstacle(node);
    }
};

TEST_F(EligibilityTest, GathersOfOneParameterAreBucketedWhereAWaitFollows) {
    const NodeId w = placeholder("w"), x = placeholder("x");
    const NodeId awaited = all_gather("awaited", call("cast", "aten._to_copy.default", {w}));
    const NodeId never = all_gather("never", w);
    const NodeId of_two = all_gather("of_two", call("sum", "aten.add.Tensor", {w, x}));
    output({wait("full", awaited), never, wait("both", of_two)});
    EXPECT_EQ(obstacle(awaited), BucketingObstacle::none);
    EXPECT_EQ(obstacle(never), BucketingObstacle::not_awaited);
    EXPECT_EQ(obstacle(of_two), BucketingObstacle::several_placeholders);
    EXPECT_EQ(obstacle(w), BucketingObstacle::no_collective);
}

TEST_F(EligibilityTest, ScattersAreBucketedWhereTheirResultStaysAloneToTheEnd) {
    const NodeId x = placeholder("x"), y = placeholder("y");
    const NodeId alone = reduce_scatter("alone", x), joined = reduce_scatter("joined", y);
    const NodeId first = call("first", "aten._to_copy.default", {wait("alone_end", alone)});
    // It meets another value only a few nodes later.
    const NodeId cast = call("cast", "aten._to_copy.default", {wait("joined_end", joined)});
    const NodeId scaled = call("scaled", "aten.neg.default", {cast});
    output({first, call("sum", "aten.add.Tensor", {scaled, x})});
    EXPECT_EQ(obstacle(alone), BucketingObstacle::none);
    EXPECT_EQ(obstacle(joined), BucketingObstacle::joined_downstream);
}

TEST_F(EligibilityTest, BytesAreThoseOfTheLargerSide) {
    const NodeId start =
        call("start", "_c10d_functional.all_gather_into_tensor.default",
             {Value::of_node(placeholder("w", {8})), Value::of_integer(8), builder_.string("0")}, {64});
    const NodeId nothing = call("nothing", "_c10d_functional.all_reduce.default", std::vector<Value>(), {4});
    output({start, nothing});
    const Graph graph = builder_.finish(header_);
    EXPECT_EQ(collective_input_bytes(graph, start), 16);
    EXPECT_EQ(collective_output_bytes(graph, start), 128);
    EXPECT_EQ(collective_bytes(graph, start), 128);
    EXPECT_EQ(collective_input_bytes(graph, nothing), 0);
}

}  // namespace
}  // namespace overlap
