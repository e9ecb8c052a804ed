#include "core/passes/hazards.h"

#include <algorithm>

#include "core/passes/registry/registry.h"
#include "tests/passes/pass_fixture.h"
#include "tests/support/call_with.h"

namespace overlap {
namespace {

/// Graphs of modules named by custom.module_fqn, over groups "0" and "1" of eight ranks.
class HazardsTest : public test::PassTest {
  protected:
    HazardsTest() {
        header_.process_groups = {{"0", {0, 1, 2, 3, 4, 5, 6, 7}, 2, "", ""},
                                  {"1", {0, 1, 2, 3, 4, 5, 6, 7}, 2, "", ""}};
    }

    /// A collective of `module`, and its wait, which is returned. @param rows of the result.
    NodeId gathered(const std::string& name, NodeId input, std::string_view module, std::int64_t rows,
                    std::string_view group = "0") {
        const NodeId start =
            call(name, "_c10d_functional.all_gather_into_tensor.default",
                 {Value::of_node(input), Value::of_integer(8), builder_.string(group)}, {rows, 8}, of(module));
        return awaited(name, start, module, rows);
    }
    NodeId scattered(const std::string& name, NodeId input, std::string_view module, std::int64_t rows) {
        const NodeId start =
            call(name, "_c10d_functional.reduce_scatter_tensor.default",
                 {Value::of_node(input), builder_.string("avg"), Value::of_integer(8), builder_.string("0")}, {rows, 8},
                 of(module));
        return awaited(name, start, module, rows);
    }
    NodeId reduced(const std::string& name, NodeId input, std::string_view module, std::int64_t rows) {
        const NodeId start =
            call(name, "_c10d_functional.all_reduce.default",
                 {Value::of_node(input), builder_.string("sum"), builder_.string("1")}, {rows, 8}, of(module));
        return awaited(name, start, module, rows);
    }
    NodeId multiplied(const std::string& name, NodeId left, NodeId right, std::int64_t rows) {
        return call(name, "aten.mm.default", {left, right}, {rows, 8});
    }

    const PassResult& bucket(const Json& plans, const Json& more = Json::object()) {
        Json options = {{"module_bucket_plans", plans}, {"module_stack_fn", "custom.module_fqn"}};
        options.update(more);
        return run("manual_overlap_bucketing", options);
    }
    const Problem* problem(std::string_view kind) const {
        const auto found = std::ranges::find_if(
            result_.report.problems, [&](const Problem& each) { return problem_kind_name(each.kind) == kind; });
        return found == result_.report.problems.end() ? nullptr : &*found;
    }
    bool has_order() const {
        const Graph& graph = *result_.graph;
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            if (std::ranges::any_of(graph.inputs(node), [&](NodeId input) { return input >= node; })) return false;
        }
        return true;
    }
    NodeId place(std::string_view name) const { return result_.graph->find(name); }

    /// Two parameters that are gathered over one group, then over another: the second gather reads what the first
    /// one's copy fills.
    void build_gather_of_gather() {
        const NodeId a = placeholder("a", {1, 8}), b = placeholder("b", {1, 8}), x = placeholder("x", {8, 8});
        const NodeId inner_a = gathered("inner_a", a, "layers.0", 8), inner_b = gathered("inner_b", b, "layers.0", 8);
        const NodeId outer_a = gathered("outer_a", inner_a, "layers.0", 64, "1");
        const NodeId outer_b = gathered("outer_b", inner_b, "layers.0", 64, "1");
        output({multiplied("y", x, outer_a, 8), multiplied("z", x, outer_b, 8)});
    }

    /// Gradients of two layers that are scattered, then reduced over replicas.
    void build_hybrid_sharding() {
        const NodeId x = placeholder("x", {64, 8});
        const NodeId g = multiplied("g", x, x, 64);
        const NodeId first = reduced("replicas_1", scattered("shards_1", g, "layers.1", 8), "layers.1", 8);
        const NodeId h = multiplied("h", g, x, 64);
        const NodeId second = reduced("replicas_0", scattered("shards_0", h, "layers.0", 8), "layers.0", 8);
        output({first, second});
    }

  private:
    NodeMetadata of(std::string_view module) {
        NodeMetadata metadata;
        metadata.module_fqn = builder_.intern(module);
        return metadata;
    }
    NodeId awaited(const std::string& name, NodeId start, std::string_view module, std::int64_t rows) {
        return call("wait_" + name, "_c10d_functional.wait_tensor.default", {Value::of_node(start)}, {rows, 8},
                    of(module));
    }
};

TEST_F(HazardsTest, PlainBucketsHaveNone) {
    const NodeId a = placeholder("a", {1, 8}), b = placeholder("b", {1, 8}), x = placeholder("x", {8, 8});
    const NodeId full_a = gathered("gather_a", a, "layers.0", 8), full_b = gathered("gather_b", b, "layers.0", 8);
    output({multiplied("y", x, full_a, 8), multiplied("z", x, full_b, 8)});
    bucket({"layers.0"});
    EXPECT_EQ(result_.report.buckets.size(), 1u);
    EXPECT_EQ(problem_kinds(), Names());
}

TEST_F(HazardsTest, GathersOfBothDirectionsKeepTheirParameters) {
    const NodeId a = placeholder("a", {1, 8}), b = placeholder("b", {1, 8}), x = placeholder("x", {8, 8});
    const NodeId y = multiplied("y", x, gathered("gather_a", a, "layers.0", 8), 8);
    const NodeId z = multiplied("z", y, gathered("gather_b", b, "layers.0", 8), 8);
    const NodeId again = gathered("gather_a_recomputed", a, "layers.0", 8);
    output({multiplied("gradient", z, again, 8)});
    bucket({"layers.0"});
    const Problem* found = problem("gathered_for_both");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->nodes, Names({result_.report.buckets.at(0).start}));
    EXPECT_NE(found->message.find("128 B"), std::string::npos) << found->message;  // 8 x 8 of bfloat16
}

TEST_F(HazardsTest, AGatherOfAGatherReadsItsBufferBeforeTheCopy) {
    build_gather_of_gather();
    bucket({"layers.0"});
    const Problem* found = problem("read_before_fill");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->severity, Severity::error);
    EXPECT_EQ(found->nodes, Names({"_pre_bucket_all_gather_1", "split_with_sizes_copy"}));
    EXPECT_LT(place(found->nodes.at(0)), place(found->nodes.at(1)));
    EXPECT_TRUE(has_order());  // which is why PyTorch's own check passes
}

TEST_F(HazardsTest, PackedWithoutACopyNothingIsReadTooEarly) {
    build_gather_of_gather();
    bucket({"layers.0"}, {{"bucket_mode", "default"}});
    EXPECT_EQ(problem_kinds(), Names());
}

TEST_F(HazardsTest, SafeReadsBehindTheCopyAndSaysSo) {
    build_gather_of_gather();
    bucket({"layers.0"}, {{"safe", true}});
    EXPECT_EQ(problem_kinds(), Names({"safe"}));
    EXPECT_NE(problem("safe")->message.find("not PyTorch's result"), std::string::npos);
    EXPECT_EQ(inputs("filled"), Names({"split_with_sizes_copy", "subgraph_alias", "empty"}));
    EXPECT_GT(place("_pre_bucket_all_gather_1"), place("split_with_sizes_copy"));
    EXPECT_TRUE(has_order());
    EXPECT_TRUE(reads_before_fill(*result_.graph).empty());
}

/// A copy reads what it fills, and another operator may read its buffer before it writes it.
TEST_F(HazardsTest, OnlyOtherReadersOfWhatACopyFillsAreTooEarly) {
    const auto with_out = [&](std::string_view name, std::string_view target, NodeId input, NodeId buffer) {
        const Value out = Value::of_node(buffer);
        return test::call_with(builder_, name, target, {Value::of_node(input)}, {{"out", builder_.list({&out, 1})}});
    };
    const NodeId x = placeholder("x", {8, 8});
    const NodeId filled = call("filled", "aten.empty.memory_format", std::vector<Value>(), {8, 8});
    const NodeId scratch = call("scratch", "aten.empty.memory_format", std::vector<Value>(), {8, 8});
    const NodeId reader = call("reader", "aten.neg.default", {scratch}, {8, 8});
    with_out("add", "aten.add.out", x, scratch);
    with_out("copy", "aten.split_with_sizes_copy.out", x, filled);
    output({reader, call("later", "aten.neg.default", {filled}, {8, 8})});
    EXPECT_TRUE(reads_before_fill(builder_.finish(header_)).empty());
}

TEST_F(HazardsTest, WithExplicitOrderingsAGatherOfAGatherMayBeCyclic) {
    build_gather_of_gather();
    bucket({"layers.0"}, {{"bucket_mode", "default"}, {"insert_overlap_deps", true}});
    const Problem* found = problem("cyclic_order");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->severity, Severity::error);
    EXPECT_FALSE(has_order());
    // Each node of the cycle is an input of the next, and the last of the first.
    for (std::size_t index = 0; index < found->nodes.size(); ++index) {
        const Names next = inputs(found->nodes[(index + 1) % found->nodes.size()]);
        EXPECT_NE(std::ranges::find(next, found->nodes[index]), next.end()) << found->nodes[index];
    }
}

TEST_F(HazardsTest, SafeLeavesOutOrderingsThatContradictTheData) {
    build_gather_of_gather();
    bucket({"layers.0"}, {{"bucket_mode", "default"}, {"insert_overlap_deps", true}, {"safe", true}});
    EXPECT_EQ(problem_kinds(), Names({"safe"}));
    EXPECT_NE(problem("safe")->message.find("orderings"), std::string::npos);
    EXPECT_TRUE(has_order());
}

TEST_F(HazardsTest, HybridShardingExposesItsScatters) {
    build_hybrid_sharding();
    bucket({"layers.0", "layers.1"});
    const Problem* found = problem("exposed_reduction");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->nodes.size(), 2u);
    for (const std::string& start : found->nodes) EXPECT_EQ(group(start), "0");
    EXPECT_EQ(problem("activation_reduction_bucketed"), nullptr);
}

TEST_F(HazardsTest, HybridShardingWithExplicitOrderingsIsCyclic) {
    build_hybrid_sharding();
    bucket({"layers.0", "layers.1"}, {{"insert_overlap_deps", true}});
    EXPECT_NE(problem("cyclic_order"), nullptr);
    EXPECT_FALSE(has_order());
    bucket({"layers.0", "layers.1"}, {{"insert_overlap_deps", false}});
    EXPECT_EQ(problem("cyclic_order"), nullptr);
}

TEST_F(HazardsTest, ActivationsAreReducedInBucketsToo) {
    const NodeId x = placeholder("x", {8, 8}), w = placeholder("w", {8, 8});
    const NodeId activation = reduced("of_activation", multiplied("y", x, w, 8), "layers.0", 8);
    const NodeId gradient = reduced("of_gradient", multiplied("z", activation, w, 8), "layers.0", 8);
    output({gradient});
    bucket({"layers.0"});
    const Problem* found = problem("activation_reduction_bucketed");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->severity, Severity::caution);
    EXPECT_EQ(found->nodes, Names({"of_activation"}));
    EXPECT_TRUE(found->message.starts_with("\"of_activation\" reduce what is computed with afterwards"))
        << found->message;
    EXPECT_EQ(found->plan_entry, 0);
}

TEST_F(HazardsTest, ASecondRunPacksBucketsOnceMore) {
    const NodeId a = placeholder("a", {1, 8}), x = placeholder("x", {8, 8});
    const NodeId y = multiplied("y", x, gathered("gather_a", a, "layers.0", 8), 8);
    output({scattered("scatter_y", y, "layers.0", 1)});
    const Json options = {{"module_bucket_plans", {"layers.0"}}, {"module_stack_fn", "custom.module_fqn"}};
    run("manual_overlap_bucketing", options);
    EXPECT_EQ(problem("not_idempotent"), nullptr);
    result_ = require_pass("manual_overlap_bucketing")
                  .run(result_.graph, read_options(require_pass("manual_overlap_bucketing"), options), {});
    const Problem* found = problem("not_idempotent");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->severity, Severity::note);
    EXPECT_EQ(found->nodes.size(), 2u);
}

TEST_F(HazardsTest, SafeSaysWhenNothingIsMissing) {
    const NodeId a = placeholder("a", {1, 8}), x = placeholder("x", {8, 8});
    output({multiplied("y", x, gathered("gather_a", a, "layers.0", 8), 8)});
    bucket({"layers.0"}, {{"safe", true}});
    EXPECT_EQ(problem_kinds(), Names({"safe"}));
    EXPECT_EQ(problem("safe")->message.find("not PyTorch's"), std::string::npos);
}

}  // namespace
}  // namespace overlap
