#include <algorithm>

#include "core/explain/explain.h"
#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

/// One graph with a collective for each reason for which manual bucketing keeps it apart or leaves it alone.
class ExplainReasonsTest : public test::PassTest {
  protected:
    ExplainReasonsTest() {
        header_.process_groups = {{"0", {0, 1, 2, 3, 4, 5, 6, 7}, 2, "", ""},
                                  {"1", {0, 1, 2, 3, 4, 5, 6, 7}, 2, "", ""}};
        header_.cost.emplace();
        header_.cost->flops_per_s = {{"float32", 1e12}, {"bfloat16", 1e12}};
        header_.cost->memory_bytes_per_s = 1e12;
        header_.cost->links = {{"0", 0.02, 1e11}, {"1", 0.02, 1e11}};
        const NodeId w = placeholder("w", {1, 8}), x = placeholder("x", {8, 8});
        const NodeId full = gathered("gather", w), twin = gathered("twin", w);
        const NodeId elsewhere = gathered("elsewhere", w, "1");
        const NodeId wide = gathered("wide", w, "0", "float32");
        const NodeId mixed = gathered("mixed", call("both", "aten.add.Tensor", {w, x}, {1, 8}));
        const NodeId made = gathered("made", call("ones", "aten.ones.default", std::vector<Value>(), {1, 8}));
        const NodeId outside = gathered("outside", w, "0", "bfloat16", "norm");
        gathered_without_wait("unawaited", w);
        const NodeId first = reduced("first", call("y", "aten.mm.default", {x, full}, {8, 8}));
        const NodeId second = reduced("second", call("z", "aten.mm.default", {first, twin}, {8, 8}));
        const NodeId scatter =
            collective("scatter", "_c10d_functional.reduce_scatter_tensor.default",
                       {Value::of_node(second), builder_.string("avg"), Value::of_integer(8), builder_.string("0")},
                       {1, 8}, "bfloat16", "layers.0");
        const NodeId largest = reduced("largest", call("v", "aten.mm.default", {x, x}, {8, 8}), "max");
        const NodeId joined = call("joined", "aten.add.Tensor", {scatter, w}, {1, 8});
        output({joined, elsewhere, wide, mixed, made, outside, largest});
        graph_ = std::make_shared<const Graph>(builder_.finish(header_));
        plan_ = make_plan(*graph_, "Plan A");
        plan_.buckets = {{{"layers.0"}}};
        evaluation_ = evaluate(graph_, plan_);
    }
    NodeMetadata of(std::string_view module) {
        NodeMetadata metadata;
        metadata.module_fqn = builder_.intern(module);
        if (is_backward_) metadata.autograd_backward = true;
        return metadata;
    }
    /// @returns the wait.
    NodeId collective(const std::string& name, std::string_view target, std::vector<Value> args,
                      std::vector<std::int64_t> shape, std::string_view dtype, std::string_view module) {
        const TensorMeta out = builder_.contiguous_tensor(*dtype_by_name(dtype), shape);
        const NodeId start = builder_.call(name, target, args, std::span(&out, 1), of(module));
        const Value awaited[] = {Value::of_node(start)};
        return builder_.call("wait_" + name, "_c10d_functional.wait_tensor.default", awaited, std::span(&out, 1),
                             of(module));
    }
    NodeId gathered(const std::string& name, NodeId input, std::string_view group = "0",
                    std::string_view dtype = "bfloat16", std::string_view module = "layers.0") {
        return collective(name, "_c10d_functional.all_gather_into_tensor.default",
                          {Value::of_node(input), Value::of_integer(8), builder_.string(group)}, {8, 8}, dtype, module);
    }
    void gathered_without_wait(std::string_view name, NodeId input) {
        call(name, "_c10d_functional.all_gather_into_tensor.default",
             {Value::of_node(input), Value::of_integer(8), builder_.string("0")}, {8, 8}, of("layers.0"));
    }
    NodeId reduced(const std::string& name, NodeId input, std::string_view reduction = "sum") {
        return collective(name, "_c10d_functional.all_reduce.default",
                          {Value::of_node(input), builder_.string(reduction), builder_.string("1")}, {8, 8}, "bfloat16",
                          "layers.0");
    }

    /// All that is said of a node of the input but what it is.
    std::string why(std::string_view name) const {
        const CollectiveExplanation explanation =
            explain_collective(*graph_, graph_->find(name), evaluation_.get(), Introduction::left_out);
        std::string text;
        for (const std::string& sentence : explanation.sentences) text.append(sentence).append("\n");
        return text;
    }
    bool says(std::string_view name, std::string_view words) const {
        return why(name).find(words) != std::string::npos;
    }

    bool is_backward_ = false;  ///< what is made from now on
    Plan plan_;
    std::shared_ptr<const Evaluation> evaluation_;
};

TEST_F(ExplainReasonsTest, ThePlanIsNotRefused) {
    for (const Problem& problem : evaluation_->problems) {
        EXPECT_NE(problem.kind, ProblemKind::refused) << problem.message;
    }
}

TEST_F(ExplainReasonsTest, NotFedByAParameterAlone) {
    EXPECT_TRUE(says("mixed", "depends on more than one input of the graph, so no parameter alone")) << why("mixed");
    EXPECT_TRUE(says("made", "depends on no input of the graph")) << why("made");
}

TEST_F(ExplainReasonsTest, NothingWaitsForIt) {
    EXPECT_TRUE(says("unawaited", "nothing waits for its result directly")) << why("unawaited");
}

TEST_F(ExplainReasonsTest, ItsResultIsCombinedWithOthers) {
    EXPECT_TRUE(says("scatter", "combined with other values")) << why("scatter");
}

TEST_F(ExplainReasonsTest, AnotherGroup) {
    EXPECT_TRUE(says("gather", "Not with elsewhere of the same entry: process group \"1\" instead of \"0\""))
        << why("gather");
    EXPECT_TRUE(says("elsewhere", "process group \"0\" instead of \"1\"")) << why("elsewhere");
}

TEST_F(ExplainReasonsTest, AnotherDtype) {
    EXPECT_TRUE(says("gather", "Not with wide of the same entry: dtype float32 instead of bfloat16")) << why("gather");
}

TEST_F(ExplainReasonsTest, AnotherReduction) {
    EXPECT_TRUE(says("largest", "Not with first of the same entry: reduction sum instead of max")) << why("largest");
    EXPECT_TRUE(says("first", "Not with largest of the same entry: reduction max instead of sum")) << why("first");
}

/// What a pass that chooses its buckets itself finds nothing to merge with, or does not merge.
TEST_F(ExplainReasonsTest, AutomaticBucketingLeavesAlone) {
    plan_.pipeline = {PassStep{"schedule_overlap_bucketing"}};
    plan_.buckets.clear();
    evaluation_ = evaluate(graph_, plan_);
    ASSERT_FALSE(evaluation_->refused);
    EXPECT_TRUE(says("wide", "no other collective has its kind, process group and dtype")) << why("wide");
    EXPECT_TRUE(says("second", "each needs its result or is needed for it")) << why("second");
}

TEST_F(ExplainReasonsTest, WithoutABucketingPassThatRan) {
    plan_.pipeline = {PassStep{"stable_topological_sort"}, PassStep{"eliminate_dead_code_pass"}};
    plan_.buckets.clear();
    evaluation_ = evaluate(graph_, plan_);
    ASSERT_FALSE(evaluation_->refused);
    EXPECT_TRUE(says("gather", "It is not bucketed: no pass of the pipeline does that")) << why("gather");
}

TEST_F(ExplainReasonsTest, DependsOnAnotherMember) {
    EXPECT_TRUE(says("second", "Not with first of the same entry: it needs the result of first")) << why("second");
    EXPECT_TRUE(says("first", "Not with second of the same entry: second needs the result")) << why("first");
}

TEST_F(ExplainReasonsTest, OutsideEveryEntry) {
    EXPECT_TRUE(says("outside", "no entry of the plan has its module")) << why("outside");
}

/// The plan has no entries then: what a step has of its own counts.
TEST_F(ExplainReasonsTest, AStepsOwnEntryHasItsModule) {
    plan_.pipeline = {lower(plan_, plan_.pipeline.front())};
    plan_.buckets.clear();
    evaluation_ = evaluate(graph_, plan_);
    EXPECT_TRUE(says("outside", "no entry of the plan has its module")) << why("outside");
    EXPECT_TRUE(says("gather", "by entry 1 (layers.0) of manual_overlap_bucketing")) << why("gather");
}

/// A joint graph, whose gathers of one module are of both directions.
class ExplainDirectionsTest : public ExplainReasonsTest {
  protected:
    ExplainDirectionsTest() {
        builder_ = GraphBuilder();
        const NodeId w = placeholder("w", {1, 8});
        const NodeId there = gathered("there", w);
        is_backward_ = true;
        const NodeId back = gathered("back", w);
        const NodeId again = gathered("again", w);
        const NodeId norm = gathered("norm_back", w, "0", "bfloat16", "norm");
        output({there, back, again, norm});
        graph_ = std::make_shared<const Graph>(builder_.finish(header_));
    }
    /// @param pass empty: manual_overlap_bucketing, as a new plan has it.
    void bucket_with(std::string_view pass = {}) {
        plan_ = make_plan(*graph_, "Plan A");
        plan_.buckets = {{{"layers.0"}}};
        if (!pass.empty()) plan_.pipeline = {PassStep{std::string(pass)}};
        evaluation_ = evaluate(graph_, plan_);
    }
};

TEST_F(ExplainDirectionsTest, TheJointPassKeepsThemApart) {
    bucket_with("joint_transformer_block_bucketing_reordering_pass");
    ASSERT_FALSE(evaluation_->refused);
    EXPECT_TRUE(says("there", "Not with back, again of the same entry: forward and backward are bucketed apart"))
        << why("there");
    EXPECT_TRUE(says("norm_back", "with any of 2 others of its kind, direction, process group and dtype"))
        << why("norm_back");
}

TEST_F(ExplainDirectionsTest, APassBesideTheJointOneMergesBoth) {
    plan_ = make_plan(*graph_, "Plan A");
    plan_.buckets = {{{"layers.0"}}};
    plan_.pipeline.insert(plan_.pipeline.begin(), PassStep{"joint_transformer_block_bucketing_reordering_pass"});
    evaluation_ = evaluate(graph_, plan_);
    ASSERT_FALSE(evaluation_->refused);
    EXPECT_TRUE(says("norm_back", "with any of 3 others of its kind, process group and dtype")) << why("norm_back");
    plan_.pipeline.back().enabled = false;
    evaluation_ = evaluate(graph_, plan_);
    EXPECT_TRUE(says("norm_back", "with any of 2 others of its kind, direction, process group and dtype"))
        << why("norm_back");
}

TEST_F(ExplainDirectionsTest, TheManualPassMergesBoth) {
    bucket_with();
    ASSERT_FALSE(evaluation_->refused);
    EXPECT_TRUE(says("there", "It is bucketed with 2 others, back, again")) << why("there");
    EXPECT_FALSE(says("there", "apart")) << why("there");
    EXPECT_TRUE(says("norm_back", "with any of 3 others of its kind, process group and dtype")) << why("norm_back");
}

/// What separates them there is what separates any two.
TEST_F(ExplainDirectionsTest, InTheManualPassOtherReasonsCount) {
    builder_ = GraphBuilder();
    is_backward_ = false;
    const NodeId w = placeholder("w", {1, 8});
    const NodeId there = gathered("there", w);
    is_backward_ = true;
    const NodeId back = gathered("back", w, "1");
    output({there, back});
    graph_ = std::make_shared<const Graph>(builder_.finish(header_));
    bucket_with();
    ASSERT_FALSE(evaluation_->refused);
    EXPECT_TRUE(says("there", "Not with back of the same entry: process group \"1\" instead of \"0\"")) << why("there");
}

/// Without a plan: how many others have its kind, group, dtype and reduction.
TEST_F(ExplainReasonsTest, WithHowManyItCouldBeMerged) {
    const auto could = [&](std::string_view name) {
        return explain_collective(*graph_, graph_->find(name)).sentences.back();
    };
    const std::string alike = " of its kind, process group and dtype";
    EXPECT_EQ(could("gather"), "It can be bucketed, with any of 2 others" + alike);
    EXPECT_EQ(could("elsewhere"), "It can be bucketed, with no other collective" + alike);
    EXPECT_EQ(could("largest"), "It can be bucketed, with no other collective" + alike);
}

TEST_F(ExplainReasonsTest, WithWhom) {
    EXPECT_TRUE(says("gather", "It is bucketed with 1 other, twin")) << why("gather");
}

}  // namespace
}  // namespace overlap
