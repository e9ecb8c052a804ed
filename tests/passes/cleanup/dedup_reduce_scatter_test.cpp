#include "tests/passes/altered_graph.h"
#include "tests/passes/pass_fixture.h"
#include "tests/support/call_with.h"

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
    /// What the pass makes of the sum of two reduce-scatters, a and b, that differs so.
    const PassResult& run_with(const std::vector<test::Difference>& differences) {
        builder_ = {};
        output({sum("total", reduced("a"), reduced("b"))});
        return run_on(test::altered(builder_.finish(header_), differences));
    }
    const PassResult& run_on(std::shared_ptr<const Graph> graph) {
        graph_ = std::move(graph);
        result_ = require_pass(pass).run(graph_, {}, {});
        return result_;
    }
    std::string refusal_with(const std::vector<test::Difference>& differences) {
        try {
            run_with(differences);
        } catch (const PassRefusal& refused) {
            return refused.what();
        }
        return "not refused";
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
        const Value a = Value::of_node(reduced("a")), b = Value::of_node(reduced("b"));
        output({test::call_with(builder_, "total", "aten.add.Tensor", {a, b}, {{"alpha", Value::of_floating(alpha)}},
                                {tensor({8})})});
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
    for (const std::string_view write :
         {"aten.add_.Tensor", "aten.__ior__.Tensor", "aten.record_stream.default",
          "inductor.resize_storage_bytes_.default", "torch._C._set_grad_enabled", "torch.add_", "mine.scale_.default",
          "mine.scale_out.default", "mine.scale.out"}) {
        builder_ = {};
        const NodeId left = reduced("a");
        call("write", write, {Value::of_node(placeholder("other")), Value::of_integer(1)});
        output({sum("total", left, reduced("b"))});
        run(pass);
        EXPECT_TRUE(is_input()) << write;
    }
    for (const std::string_view other : {"aten.add.Tensor", "aten.relu.default", "operator.setitem", "operator.__add__",
                                         "mine.__scale__.default", "mine.scale.default"}) {
        builder_ = {};
        const NodeId left = reduced("a");
        call("other", other, {Value::of_node(placeholder("in")), Value::of_integer(1)});
        output({sum("total", left, reduced("b"))});
        run(pass);
        EXPECT_FALSE(is_input()) << other;
    }
}

TEST_F(DedupReduceScatterTest, ReduceScattersAreMergedThatDifferInTheirInputsAlone) {
    const std::vector<std::vector<test::Difference>> alike = {
        {{"total", "/kwargs", R"({"alpha": 1})"}},
        {{"a_start", "/args/1", R"("sum")"}, {"b_start", "/args/1", R"("sum")"}},
        {{"b_in", "/outputs/0/shape", "[64]"}},
    };
    for (const auto& differences : alike) EXPECT_NE(run_with(differences).graph, graph_) << differences.front();
    const std::vector<std::vector<test::Difference>> others = {
        {{"total", "/target", R"("aten.sub.Tensor")"}},
        {{"total", "/args/-", "1"}},
        {{"total", "/args/1", "1"}},
        {{"total", "/args/1", R"("%b_start")"}},
        {{"total", "/kwargs", R"({"alpha": 2})"}},
        {{"total", "/kwargs", R"({"alpha": "1"})"}},
        {{"total", "/kwargs", R"({"out": null})"}},
        {{"total", "/kwargs", R"({"alpha": 1, "out": null})"}},
        {{"b", "/args/0", R"("%b_in")"}},
        {{"b", "/args/-", "1"}},
        {{"b", "/kwargs", R"({"group": null})"}},
        {{"b_start", "/target", R"("_c10d_functional.all_reduce.default")"}},
        {{"b_start", "/args/0", "1"}},
        {{"b_start", "/args/-", "1"}},
        {{"b_start", "/kwargs", R"({"out": null})"}},
        {{"a_start", "/args/1", R"("max")"}, {"b_start", "/args/1", R"("max")"}},
        {{"a_start", "/args/1", "1"}, {"b_start", "/args/1", "1"}},
        {{"b_start", "/args/1", R"("sum")"}},
        {{"b_start", "/args/2", "4"}},
        {{"b_start", "/args/2", R"("8")"}},
        {{"a_start", "/args/2", "8.0"}, {"b_start", "/args/2", "8.0"}},
        {{"b_start", "/args/3", R"("1")"}},
        {{"b_in", "/outputs/0/dtype", R"("float32")"}},
        {{"a_in", "/outputs/0/dtype", R"("complex64")"}, {"b_in", "/outputs/0/dtype", R"("complex64")"}},
    };
    for (const auto& differences : others) EXPECT_EQ(run_with(differences).graph, graph_) << differences.front();
}

TEST_F(DedupReduceScatterTest, AReduceScatterThatIsReadTwiceStays) {
    output({sum("total", reduced("a"), reduced("b"))});
    const auto graph = std::make_shared<const Graph>(builder_.finish(header_));
    run_on(test::with_call(*graph, {"again", "aten.neg.default", R"(["%b_start"])"}, "output"));
    EXPECT_TRUE(is_input());
}

TEST_F(DedupReduceScatterTest, OneThatIsAddedToItselfHasOneReader) {
    const NodeId only = reduced("a");
    output({sum("total", only, only)});
    run(pass);
    EXPECT_EQ(names(), Names({"a_in", "add_tensor", "reduce_scatter_tensor_default", "wait_tensor_default", "output"}));
    EXPECT_EQ(inputs("add_tensor"), Names({"a_in"}));
}

TEST_F(DedupReduceScatterTest, WhatPyTorchHasNoFileForIsRefused) {
    const std::vector<std::pair<std::vector<test::Difference>, std::string>> cases = {
        {{{"b_in", "/outputs", ""}}, "\"b_in\": the document does not give its tensor"},
        {{{"b_in", "/outputs/0", "null"}}, "\"b_in\": the document does not give its tensor"},
        {{{"a_in", "/outputs/0/shape", "[63]"}, {"b_in", "/outputs/0/shape", "[63]"}},
         "\"a_start\": its first dimension is no multiple of its ranks"},
        {{{"a_start", "/args/2", "0"}, {"b_start", "/args/2", "0"}}, "no multiple of its ranks"},
        {{{"b_in", "/outputs/0/shape", "[8, 8]"}, {"b_in", "/outputs/0/stride", "[8, 1]"}},
         "not dense in the same way"},
        {{{"a_in", "/outputs/0/stride", "[2]"}, {"b_in", "/outputs/0/stride", "[2]"}}, "not dense in the same way"},
        {{{"b_in", "/outputs/0/stride", "[2]"}}, "not dense in the same way"},
        {{{"b_in", "/symbolic_shapes", "[]"}}, "sizes known only when the job runs"},
        {{{"a", "/custom", R"({"stream": 1})"}}, "\"a\": its custom assigns a stream"},
        {{{"b_start", "/custom", R"({"mempool_id": 1})"}}, "\"b_start\": its custom assigns a stream or memory pool"},
    };
    for (const auto& [differences, reason] : cases)
        EXPECT_NE(refusal_with(differences).find(reason), std::string::npos)
            << differences.front() << ": " << refusal_with(differences);
}

TEST_F(DedupReduceScatterTest, TheSumsRecomputeTagStaysWithTheNewNodes) {
    run_with({{"total", "/titan_meta", R"({"recompute": "must_save", "other": 1})"}});
    const Graph& graph = *result_.graph;
    for (const std::string_view name : {"add_tensor", "reduce_scatter_tensor_default", "wait_tensor_default"})
        EXPECT_EQ(graph.text(graph.metadata(graph.find(name)).extra_json),
                  R"({"titan_meta":{"recompute":"must_save"}})")
            << name;
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
