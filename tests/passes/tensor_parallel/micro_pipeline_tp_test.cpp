#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

class MicroPipelineTpTest : public test::PassTest {
  protected:
    static constexpr std::string_view pass = "micro_pipeline_tp_pass";

    NodeId product(std::string_view name, NodeId left, NodeId right, std::vector<std::int64_t> shape) {
        return call(name, "aten.mm.default", {left, right}, std::move(shape));
    }
    NodeId gathered(std::string_view name, std::vector<std::int64_t> whole) {
        std::vector<std::int64_t> piece = whole;
        piece[0] /= 8;
        const NodeId start = call(
            std::string(name) + "_start", "_c10d_functional.all_gather_into_tensor.default",
            {Value::of_node(placeholder(std::string(name) + "_in", piece)), Value::of_integer(8), builder_.string("0")},
            whole);
        return call(name, "_c10d_functional.wait_tensor.default", {start}, whole);
    }
};

TEST_F(MicroPipelineTpTest, AGatherIsFusedWithTheProductsThatReadIt) {
    const NodeId left = placeholder("b", {16, 4}), right = placeholder("c", {16, 8});
    const NodeId whole = gathered("a", {64, 16});
    const NodeId first = product("first", whole, left, {64, 4});
    const NodeId second = product("second", whole, right, {64, 8});
    output({first, second});
    run(pass);
    EXPECT_EQ(names(), Names({"b", "c", "a_in", "inductor_force_stride_order_default",
                              "fused_all_gather_matmul_default", "getitem_1", "getitem_2", "getitem_3", "output"}));
}

TEST_F(MicroPipelineTpTest, AProductThatReadsItOnTheRightIsNot) {
    const NodeId whole = gathered("a", {64, 16});
    output({product("product", placeholder("b", {4, 64}), whole, {4, 16})});
    run(pass);
    EXPECT_TRUE(is_input());
}

TEST_F(MicroPipelineTpTest, AProductIsFusedWithTheReduceScatterBehindIt) {
    const NodeId left = placeholder("a", {64, 16}), right = placeholder("b", {16, 4});
    const NodeId start = call("start", "_c10d_functional.reduce_scatter_tensor.default",
                              {Value::of_node(product("product", left, right, {64, 4})), builder_.string("sum"),
                               Value::of_integer(8), builder_.string("0")},
                              {8, 4});
    output({call("wait", "_c10d_functional.wait_tensor.default", {start}, {8, 4})});
    run(pass);
    EXPECT_EQ(names(), Names({"a", "b", "inductor_force_stride_order_default", "fused_matmul_reduce_scatter_default",
                              "output"}));
    EXPECT_TRUE(result_.graph->outputs(3).empty());
}

TEST_F(MicroPipelineTpTest, AScaledProductIsRefused) {
    const NodeId whole = gathered("a", {64, 16});
    output({call("product", "aten._scaled_mm.default", {whole, placeholder("b", {16, 4})}, {64, 4})});
    EXPECT_NE(refusal(pass).find("scaled"), std::string::npos);
}

}  // namespace
}  // namespace overlap
