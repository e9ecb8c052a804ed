#include "core/passes/bucketing/bucket_keys.h"

#include "core/passes/bucketing/fsdp_collectives.h"
#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

class BucketKeysTest : public test::PassTest {
  protected:
    GraphEditor edit() { return GraphEditor(std::make_shared<const Graph>(builder_.finish({}))); }
    NodeId all_reduce(std::string_view name, NodeId input, std::string_view reduction = "sum") {
        return call(name, "_c10d_functional.all_reduce.default",
                    {Value::of_node(input), builder_.string(reduction), builder_.string("0")});
    }
};

TEST_F(BucketKeysTest, OnlyPlainFormsAreBucketed) {
    const NodeId x = placeholder("x");
    const NodeId gather = all_gather("gather", x), scatter = reduce_scatter("scatter", x), sum = all_reduce("sum", x);
    const NodeId into = call("into", "_c10d_functional.all_gather_into_tensor_out.default", {x});
    const NodeId coalesced = call("coalesced", "_c10d_functional.all_gather_into_tensor_coalesced.default", {x});
    const NodeId exchanged = exchange("exchanged", x), waited = wait("waited", gather);
    output({});
    const GraphEditor graph = edit();
    EXPECT_EQ(bucketable_kind(graph, gather), CollectiveKind::all_gather);
    EXPECT_EQ(bucketable_kind(graph, into), CollectiveKind::all_gather);
    EXPECT_EQ(bucketable_kind(graph, scatter), CollectiveKind::reduce_scatter);
    EXPECT_EQ(bucketable_kind(graph, sum), CollectiveKind::all_reduce);
    for (const NodeId other : {x, coalesced, exchanged, waited}) {
        EXPECT_EQ(bucketable_kind(graph, other), CollectiveKind::none) << graph.name(other);
    }
}

TEST_F(BucketKeysTest, KeysDifferByGroupReductionAndDtype) {
    const NodeId x = placeholder("x");
    const NodeId gather = all_gather("gather", x), other_group = all_gather("other_group", x, "1");
    const NodeId sum = all_reduce("sum", x), most = all_reduce("most", x, "max"), same = all_reduce("same", x);
    output({});
    const GraphEditor graph = edit();
    EXPECT_EQ(bucket_key(graph, sum), bucket_key(graph, same));
    EXPECT_NE(bucket_key(graph, sum), bucket_key(graph, most));
    EXPECT_NE(bucket_key(graph, gather), bucket_key(graph, other_group));
    EXPECT_EQ(bucket_key(graph, gather).dtype, dtype_by_name("bfloat16"));
    EXPECT_FALSE(bucket_key(graph, gather, true).dtype.has_value());
    EXPECT_TRUE(bucket_key(graph, sum, true).dtype.has_value());  // gathers alone can mix dtypes
}

TEST_F(BucketKeysTest, ArgumentsMustBePositional) {
    const NodeId short_of_group = call("gather", "_c10d_functional.all_gather_into_tensor.default", {placeholder("x")});
    output({});
    EXPECT_THROW(bucket_key(edit(), short_of_group), InputError);
}

TEST_F(BucketKeysTest, AncestryTellsOnePlaceholderFromNoneAndSeveral) {
    const NodeId w = placeholder("w"), x = placeholder("x");
    const NodeId zeros = call("zeros", "aten.zeros.default", std::vector<Value>{});
    const NodeId padded = call("padded", "aten.cat.default", {w, zeros, w});
    const NodeId both = call("both", "aten.add.Tensor", {padded, x});
    output({});
    const GraphEditor graph = edit();
    PlaceholderAncestry ancestry(graph);
    EXPECT_TRUE(ancestry.is_single(padded));
    EXPECT_FALSE(ancestry.is_single(both));
    EXPECT_FALSE(ancestry.is_single(zeros));
}

TEST_F(BucketKeysTest, AncestryDoesNotNeedASortedGraph) {
    const NodeId w = placeholder("w"), x = placeholder("x");
    const NodeId cast = call("cast", "aten._to_copy.default", {w}), sum = call("sum", "aten.add.Tensor", {cast, x});
    output({});
    GraphEditor graph = edit();
    graph.move_before(sum, cast);
    PlaceholderAncestry ancestry(graph);
    EXPECT_FALSE(ancestry.is_single(sum));
    EXPECT_TRUE(ancestry.is_single(cast));
}

TEST_F(BucketKeysTest, AGradientLeavesTheGraphAlone) {
    const NodeId x = placeholder("x");
    const NodeId plain = wait("plain", reduce_scatter("scatter", x)), joined = wait("joined", reduce_scatter("s2", x));
    const NodeId view = call("view", "aten.view.default", {plain});
    const NodeId sum = call("sum", "aten.add.Tensor", {joined, x});
    output({view, sum});
    const GraphEditor graph = edit();
    EXPECT_TRUE(reaches_output_alone(graph, plain));
    EXPECT_FALSE(reaches_output_alone(graph, joined));
}

}  // namespace
}  // namespace overlap
