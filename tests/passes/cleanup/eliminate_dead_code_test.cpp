#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

class EliminateDeadCodeTest : public test::PassTest {
  protected:
    static constexpr std::string_view pass = "eliminate_dead_code_pass";
};

TEST_F(EliminateDeadCodeTest, ChainsWithoutUsersGo) {
    const NodeId x = placeholder("x");
    const NodeId a = call("a", "aten.add.Tensor", {x, x});
    call("b", "aten.mul.Tensor", {a, a});
    output({call("kept", "aten.relu.default", {x})});
    run(pass);
    EXPECT_EQ(names(), Names({"x", "kept", "output"}));
    EXPECT_EQ(result_.graph->users(0).size(), 1u);
    EXPECT_EQ(result_.origin, std::vector<NodeId>({0, 3, 4}));
}

TEST_F(EliminateDeadCodeTest, SideEffectsAndPlaceholdersStay) {
    const NodeId x = placeholder("x");
    placeholder("unused");
    call("write", "aten.copy_.default", {x, x});
    call("random", "aten.rand_like.default", {x});
    call("into", "aten.add.out", {x, x});
    wait("waited", all_gather("gathered", x));
    output({x});
    run(pass);
    EXPECT_TRUE(is_input());
}

TEST_F(EliminateDeadCodeTest, AGraphWhoseFirstNodeReadsALaterOneIsRefused) {
    call("first", "aten.neg.default", {Value::of_node(1)});
    output({placeholder("x")});
    EXPECT_NE(refusal(pass).find("node \"first\": it stands before its input \"x\""), std::string::npos);
}

TEST_F(EliminateDeadCodeTest, ACollectiveThatNobodyAwaitsGoes) {
    const NodeId x = placeholder("x");
    all_gather("gathered", x);
    output({x});
    run(pass);
    EXPECT_EQ(names(), Names({"x", "output"}));
}

TEST_F(EliminateDeadCodeTest, AsynchronousAssertionsGoAndOthersStay) {
    const NodeId x = placeholder("x");
    const NodeId condition = call("condition", "aten.all.default", {x});
    call("dropped", "aten._assert_async.msg", {condition});
    const NodeId other = call("other", "aten.any.default", {x});
    call("kept", "aten._assert_scalar.default", {other});
    output({x});
    run(pass);
    EXPECT_EQ(names(), Names({"x", "other", "kept", "output"}));
}

TEST_F(EliminateDeadCodeTest, UnknownOperatorsMatterOnlyWhereNobodyUsesThem) {
    const NodeId x = placeholder("x");
    output({call("used", "mylib.op.default", {x})});
    run(pass);
    EXPECT_TRUE(is_input());
}

TEST_F(EliminateDeadCodeTest, AnUnusedUnknownOperatorIsRefused) {
    call("odd", "mylib.op.default", {placeholder("x")});
    output({});
    EXPECT_NE(refusal(pass).find("\"odd\": nobody uses it, and whether torch.fx keeps it depends on the side effects"),
              std::string::npos);
}

TEST(SideEffects, AreThoseOfTorch) {
    for (const char* target : {"aten.add_.Tensor", "aten.add.out", "aten.dropout.default", "aten.index_put_.default",
                               "_c10d_functional.wait_tensor.default", "_c10d_functional.all_reduce_.default",
                               "_c10d_functional.all_gather_into_tensor_out.default", "operator.setitem",
                               "torchtitan.fused_mla_q_rope_.default"}) {
        EXPECT_EQ(describe_target(target).side_effects, SideEffects::some) << target;
    }
    for (const char* target : {"aten.add.Tensor", "_c10d_functional.all_reduce.default", "operator.getitem",
                               "bucketing._pre_bucket_reduce_scatter.default", "higher_order.flex_attention",
                               "torchtitan.deterministic_scatter_add.default"}) {
        EXPECT_EQ(describe_target(target).side_effects, SideEffects::none) << target;
    }
    for (const char* target : {"mylib.op.default", "atenx.add.Tensor", "higher_order.auto_functionalized"}) {
        EXPECT_EQ(describe_target(target).side_effects, SideEffects::unknown) << target;
    }
}

}  // namespace
}  // namespace overlap
