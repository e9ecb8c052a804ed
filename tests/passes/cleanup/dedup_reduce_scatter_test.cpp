#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

class DedupReduceScatterTest : public test::PassTest {
  protected:
    static constexpr std::string_view pass = "dedup_fsdp_reduce_scatter";

    NodeId reduced(std::string_view name, std::string_view group = "0") {
        const NodeId input = placeholder(std::string(name) + "_in", {64});
        const NodeId start = reduce_scatter(std::string(name) + "_start", input, group);
        return wait(name, start);
    }
    NodeId sum(std::string_view name, NodeId left, NodeId right) {
        return call(name, "aten.add.Tensor", {left, right});
    }
};

TEST_F(DedupReduceScatterTest, ATreeOfSumsBecomesOneReduceScatter) {
    const NodeId first = reduced("a"), second = reduced("b"), third = reduced("c");
    output({sum("total", sum("part", first, second), third)});
    run(pass);
    EXPECT_EQ(names(), Names({"a_in", "b_in", "c_in", "add_tensor", "add_tensor_1", "reduce_scatter_tensor_default_1",
                              "wait_tensor_default_1", "output"}));
    EXPECT_EQ(inputs("add_tensor_1"), Names({"add_tensor", "c_in"}));
    EXPECT_EQ(problem_kinds(), Names({"unseen_collectives"}));
    // Module rules are applied to the input, so the list has the sum of the input that the reduce-scatter stands for.
    const Problem& lost = result_.report.problems.front();
    EXPECT_EQ(lost.nodes, Names({"reduce_scatter_tensor_default_1", "total"}));
    EXPECT_TRUE(lost.message.starts_with("1 merged reduce-scatter has neither")) << lost.message;
    EXPECT_NE(lost.message.find("the sum that it replaces (total) a module by a rule"), std::string::npos);
}

TEST_F(DedupReduceScatterTest, SumsHaveTheirOwnStorage) {
    TensorMeta part = tensor({64});
    part.storage_offset = 64;
    const NodeId left = builder_.placeholder("left", std::span(&part, 1));
    const NodeId first = wait("a", reduce_scatter("a_start", left));
    output({sum("total", first, reduced("b"))});
    run(pass);
    const TensorMeta& summed = result_.graph->outputs(result_.graph->find("add_tensor")).front();
    EXPECT_EQ(summed.storage_offset, 0);
    EXPECT_EQ(summed.storage_bytes, 128);
}

TEST_F(DedupReduceScatterTest, SumsWithAFactorStay) {
    for (const double alpha : {1.0, 2.0}) {
        builder_ = {};
        const Value terms[] = {Value::of_node(reduced("a")), Value::of_node(reduced("b"))};
        const Value keyword[] = {builder_.string("alpha"), Value::of_floating(alpha)};
        NodeRecord record;
        record.op = NodeOp::call_function;
        record.name = builder_.intern("total");
        record.target = builder_.target("aten.add.Tensor");
        record.args = builder_.list(terms);
        record.kwargs = builder_.dictionary(keyword);
        const TensorMeta out = tensor({8});
        output({builder_.add(record, {}, std::span(&out, 1))});
        run(pass);
        EXPECT_EQ(is_input(), alpha == 2.0) << alpha;
    }
}

TEST_F(DedupReduceScatterTest, EachReduceScatterIsListedWithItsSum) {
    const NodeId first = sum("first", reduced("a"), reduced("b")), second = sum("second", reduced("c"), reduced("d"));
    output({first, second});
    run(pass);
    const Problem& lost = result_.report.problems.front();
    EXPECT_EQ(lost.nodes,
              Names({"reduce_scatter_tensor_default", "reduce_scatter_tensor_default_1", "second", "first"}));
    EXPECT_TRUE(lost.message.starts_with("2 merged reduce-scatters have neither")) << lost.message;
}

TEST_F(DedupReduceScatterTest, OtherGroupsAndOtherUsersKeepTheirs) {
    const NodeId shared = reduced("d");
    output({sum("groups", reduced("a"), reduced("b", "1")), sum("users", reduced("c"), shared), shared});
    run(pass);
    EXPECT_TRUE(is_input());
}

TEST_F(DedupReduceScatterTest, NothingIsMergedAcrossAWrite) {
    // The schema decides; of Python functions the name.
    for (const std::string_view write : {"aten.add_.Tensor", "aten.__ior__.Tensor", "aten.record_stream.default",
                                         "inductor.resize_storage_bytes_.default", "torch._C._set_grad_enabled"}) {
        builder_ = {};
        const NodeId left = reduced("a");
        call("write", write, {Value::of_node(placeholder("other")), Value::of_integer(1)});
        output({sum("total", left, reduced("b"))});
        run(pass);
        EXPECT_TRUE(is_input()) << write;
    }
    for (const std::string_view other : {"aten.add.Tensor", "aten.relu.default", "operator.setitem"}) {
        builder_ = {};
        const NodeId left = reduced("a");
        call("other", other, {Value::of_node(placeholder("in")), Value::of_integer(1)});
        output({sum("total", left, reduced("b"))});
        run(pass);
        EXPECT_FALSE(is_input()) << other;
    }
}

TEST_F(DedupReduceScatterTest, TheSumsCustomStaysWithTheNewNodes) {
    NodeMetadata metadata;
    metadata.custom_json = builder_.intern(R"({"module_fqn":"layers.1"})");
    metadata.module_fqn = builder_.intern("layers.1");
    const NodeId left = reduced("a"), right = reduced("b");
    output({call("total", "aten.add.Tensor", {Value::of_node(left), Value::of_node(right)}, {8}, metadata)});
    run(pass);
    const Graph& graph = *result_.graph;
    EXPECT_EQ(graph.text(graph.metadata(graph.find("reduce_scatter_tensor_default")).module_fqn), "layers.1");
    EXPECT_TRUE(problem_kinds().empty());
}

}  // namespace
}  // namespace overlap
