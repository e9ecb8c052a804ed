#include <limits>

#include "core/graph/editing/topological_sort.h"
#include "core/passes/bucketing/fsdp_pre_bucketing.h"
#include "core/passes/bucketing/greedy_bucketing.h"
#include "core/passes/registry/registry.h"
#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

/// Parameters of 8 bfloat16 elements; each gathered value is as large as its input here, 16 bytes.
class StandAloneBucketingTest : public test::PassTest {
  protected:
    StandAloneBucketingTest() {
        header_.process_groups = {{"0", {0, 1, 2, 3, 4, 5, 6, 7}, 2, "", ""},
                                  {"1", {0, 1, 2, 3, 4, 5, 6, 7}, 2, "", ""}};
    }

    /// Gathers of one parameter each, awaited in order.
    void gathers(std::initializer_list<std::pair<const char*, const char*>> names_and_groups) {
        for (const auto& [name, group] : names_and_groups) {
            const NodeId parameter = placeholder(std::string("p_").append(name));
            starts_.push_back(all_gather(name, parameter, group));
        }
        for (const NodeId start : starts_)
            waits_.push_back(wait(std::string("w").append(std::to_string(start)), start));
    }

    NodeId parameter(std::string_view name, std::string_view dtype, std::int64_t size = 8) {
        const TensorMeta out = builder_.contiguous_tensor(*dtype_by_name(dtype), std::span(&size, 1));
        return builder_.placeholder(name, std::span(&out, 1));
    }
    /// A gather of a tensor of this type, awaited.
    NodeId typed_gather(const std::string& name, NodeId input, std::string_view dtype) {
        const std::int64_t size = 64;
        const TensorMeta out = builder_.contiguous_tensor(*dtype_by_name(dtype), std::span(&size, 1));
        const Value args[] = {Value::of_node(input), Value::of_integer(8), builder_.string("0")};
        return wait("wait_" + name,
                    builder_.call(name, "_c10d_functional.all_gather_into_tensor.default", args, std::span(&out, 1)));
    }

    std::vector<Names> buckets(const GreedyBucketing& rule = {}) {
        output({});
        const GraphEditor graph(std::make_shared<const Graph>(builder_.finish(header_)));
        std::vector<Names> buckets;
        for (const std::vector<NodeId>& bucket : greedy_buckets(graph, rule)) {
            Names& members = buckets.emplace_back();
            for (const NodeId start : bucket) members.emplace_back(graph.name(start));
        }
        return buckets;
    }

    static GreedyBucketing cap_of_bytes(double bytes) {
        GreedyBucketing rule;
        rule.bucket_cap_mb = bytes / (1024 * 1024);
        return rule;
    }

    std::vector<NodeId> starts_, waits_;
};

TEST_F(StandAloneBucketingTest, AForeignKeyEndsARun) {
    gathers({{"a", "0"}, {"b", "0"}, {"c", "1"}, {"d", "0"}, {"e", "0"}, {"f", "1"}});
    EXPECT_EQ(buckets(), (std::vector<Names>{{"a", "b"}, {"d", "e"}}));
}

TEST_F(StandAloneBucketingTest, ABucketIsFilledUpToTheCapAndIncludingIt) {
    gathers({{"a", "0"}, {"b", "0"}, {"c", "0"}, {"d", "0"}, {"e", "0"}});
    EXPECT_EQ(buckets(cap_of_bytes(32)), (std::vector<Names>{{"a", "b"}, {"c", "d"}}));  // e is left over
}

TEST_F(StandAloneBucketingTest, ACapBelowTheSizesMergesNothing) {
    gathers({{"a", "0"}, {"b", "0"}});
    EXPECT_TRUE(buckets(cap_of_bytes(31.9)).empty());
}

TEST_F(StandAloneBucketingTest, WaitsThatDoNotCountDoNotEndARun) {
    gathers({{"a", "0"}, {"b", "1"}, {"c", "0"}});
    GreedyBucketing rule;
    rule.takes_wait = [&](NodeId wait) { return wait != waits_[1]; };
    EXPECT_EQ(buckets(rule), (std::vector<Names>{{"a", "c"}}));
}

TEST_F(StandAloneBucketingTest, WhatDependsOnAMemberIsInNoBucket) {
    const NodeId x = placeholder("x");
    const NodeId first = wait("w1", all_gather("first", x));
    wait("w2", all_gather("second", x));
    wait("w3", all_gather("dependent", call("neg", "aten.neg.default", {first})));
    wait("w4", all_gather("last", x));
    // Not deferred to the next bucket either.
    EXPECT_EQ(buckets(cap_of_bytes(48)), (std::vector<Names>{{"first", "second", "last"}}));
}

TEST_F(StandAloneBucketingTest, WhatDependsOnAClosedBucketMayGoIntoTheNext) {
    const NodeId x = placeholder("x");
    const NodeId first = wait("w1", all_gather("first", x));
    wait("w2", all_gather("second", x));
    wait("w3", all_gather("third", x));
    wait("w4", all_gather("dependent", call("neg", "aten.neg.default", {first})));
    EXPECT_EQ(buckets(cap_of_bytes(32)), (std::vector<Names>{{"first", "second"}, {"third", "dependent"}}));
}

TEST_F(StandAloneBucketingTest, TheOrderIsLeftOpenUntilTheSort) {
    gathers({{"a", "0"}});
    const NodeId use = call("use", "aten.neg.default", {waits_[0]});
    const NodeId late = wait("late", all_gather("b", placeholder("q")));
    output({use, late});
    run("bucket_all_gather");
    ASSERT_EQ(result_.report.buckets.size(), 1u);
    EXPECT_EQ(result_.report.buckets[0].members, Names({"a", "b"}));
    ASSERT_EQ(problem_kinds(), Names({"order_left_open"}));
    EXPECT_EQ(result_.report.problems[0].nodes, Names({"use"}));
    EXPECT_EQ(result_.report.problems[0].severity, Severity::caution);

    const auto open = result_.graph;
    try {
        require_pass("eliminate_dead_code_pass").run(open, {}, {});
        ADD_FAILURE() << "a graph that is not sorted was taken";
    } catch (const PassRefusal& refused) {
        const std::string reason = refused.what();
        EXPECT_NE(reason.find("node \"use\": it stands before its input \""), reason.npos) << reason;
    }
    const PassResult sorted = require_pass("stable_topological_sort").run(open, {}, {});
    EXPECT_TRUE(GraphEditor(sorted.graph).is_topological());
    EXPECT_EQ(sorted.graph->node_count(), open->node_count());
    EXPECT_LT(sorted.graph->inputs(sorted.graph->find("use"))[0], sorted.graph->find("use"));
}

/// The second gather's input stands before a user of the first one's result; what is between is sorted, unless a
/// placeholder is there, at which the reference stops looking for inputs.
TEST_F(StandAloneBucketingTest, FromTheInputsOnTheGraphIsSortedWhereNoPlaceholderIsBetween) {
    for (const bool between : {false, true}) {
        builder_ = {};
        const NodeId first = call("first", "aten.neg.default", {placeholder("p")});
        const NodeId second = call("second", "aten.neg.default", {placeholder("q")});
        const NodeId gathered = wait("wait_a", all_gather("a", first));
        const NodeId use = call("use", "aten.neg.default", {gathered});
        if (between) placeholder("r");
        output({use, wait("wait_b", all_gather("b", second))});
        run("bucket_all_gather");
        ASSERT_EQ(result_.report.buckets.size(), 1u);
        EXPECT_EQ(problem_kinds(), between ? Names({"order_left_open"}) : Names());
    }
}

TEST_F(StandAloneBucketingTest, GathersOfSeveralWidthsAreMovedInTheNarrowestThatComesFirst) {
    const NodeId wide = typed_gather("wide", parameter("a", "float32"), "float32");
    const NodeId narrow = typed_gather("narrow", parameter("b", "bfloat16"), "bfloat16");
    const NodeId other = typed_gather("other", parameter("c", "float16"), "float16");
    output({wide, narrow, other});
    run("bucket_all_gather", {{"mode", "custom_ops_multidtype"}});
    const Value* moved = result_.graph->argument(result_.graph->find("_pre_bucket_all_gather"), 2);
    ASSERT_NE(moved, nullptr);
    EXPECT_EQ(result_.graph->text(moved->string), "bfloat16");
}

TEST_F(StandAloneBucketingTest, InputsOfWhichOneIsNotFloatingPointAreNotJoined) {
    for (const auto& [first, second] : {std::pair("bfloat16", "int8"), std::pair("int8", "bfloat16")}) {
        builder_ = {};
        const NodeId a = typed_gather("a", parameter("p", first), "bfloat16");
        output({a, typed_gather("b", parameter("q", second), "bfloat16")});
        EXPECT_NE(refusal("bucket_all_gather").find("\"b\": its bucket joins tensors of different dtypes"),
                  std::string::npos);
    }
}

TEST_F(StandAloneBucketingTest, WithoutABucketTheGraphIsTheInput) {
    gathers({{"a", "0"}, {"b", "1"}});
    output({});
    const auto graph = std::make_shared<const Graph>(builder_.finish(header_));
    for (const char* pass : {"bucket_all_gather", "bucket_reduce_scatter", "bucket_all_reduce",
                             "pre_bucket_fsdp_collectives", "stable_topological_sort", "deduplicate_wait_tensors"}) {
        EXPECT_EQ(require_pass(pass).run(graph, {}, {}).graph, graph) << pass;
    }
}

TEST_F(StandAloneBucketingTest, ScattersOfSeveralDtypesAreRefused) {
    output({});
    EXPECT_NE(refusal("bucket_reduce_scatter", {{"mode", "custom_ops_multidtype"}}).find("multidtype"),
              std::string::npos);
}

TEST_F(StandAloneBucketingTest, ACollectiveThatIsAwaitedTwiceIsRefused) {
    gathers({{"a", "0"}, {"b", "0"}});
    output({wait("again", starts_[0])});
    EXPECT_NE(refusal("bucket_all_gather").find("2 users"), std::string::npos);
}

TEST_F(StandAloneBucketingTest, GroupsOfMoreRanksThanThereCanBeAreRefused) {
    const auto told = [&](std::int64_t ranks) {
        builder_ = GraphBuilder();
        const auto gather = [&](std::string_view name, std::string_view parameter) {
            return call(name, "_c10d_functional.all_gather_into_tensor.default",
                        {Value::of_node(placeholder(parameter)), Value::of_integer(ranks), builder_.string("0")});
        };
        const NodeId first = gather("a", "p_a"), second = gather("b", "p_b");
        wait("wait_a", first);
        wait("wait_b", second);
        output({});
        return refusal("bucket_all_gather");
    };
    EXPECT_NE(told(std::numeric_limits<std::int64_t>::max()).find("more than 2^56 elements"), std::string::npos);
    EXPECT_NE(told(std::int64_t{1} << 53).find("more than 2^56 elements"), std::string::npos);
    EXPECT_NE(told(-3).find("its group size is less than 1"), std::string::npos);
}

// What PyTorch computes on a machine without a GPU.
TEST(FsdpPreBucketingTest, TheCapSaturatesTheNetworkWithinBounds) {
    EXPECT_EQ(saturating_bucket_cap_mb(1), 10.0);
    EXPECT_EQ(saturating_bucket_cap_mb(2), 10.385513305664062);
    EXPECT_EQ(saturating_bucket_cap_mb(8), 64350000.0 / (1024 * 1024));
    EXPECT_EQ(saturating_bucket_cap_mb(16), 75.0);
    EXPECT_EQ(saturating_bucket_cap_mb(64), 86.1053466796875);
    EXPECT_EQ(saturating_bucket_cap_mb(1024), 500.0);
}

TEST_F(StandAloneBucketingTest, PreBucketingTakesFsdpCollectivesAlone) {
    gathers({{"a", "0"}, {"b", "0"}});
    const NodeId x = placeholder("x");
    const NodeId activation = call("activation", "aten.mm.default", {x, waits_[0]});
    const NodeId c = wait("wc", all_gather("c", activation)), d = wait("wd", all_gather("d", activation));
    const NodeId gradient = wait("we", reduce_scatter("e", activation));
    const NodeId other = wait("wf", reduce_scatter("f", activation));
    const NodeId joined = wait("wg", reduce_scatter("g", activation));
    output({gradient, other, call("sum", "aten.add.Tensor", {joined, c}), d});
    run("pre_bucket_fsdp_collectives");
    ASSERT_EQ(result_.report.buckets.size(), 2u);
    EXPECT_EQ(result_.report.buckets[0].members, Names({"a", "b"}));
    EXPECT_EQ(result_.report.buckets[1].members, Names({"e", "f"}));
}

/// Of 16 ranks a bucket takes 75 MiB, of 8 only 61.
TEST_F(StandAloneBucketingTest, TheCapIsThatOfTheFirstGroupThatGathersAParameter) {
    const auto gather = [&](std::string_view name, std::int64_t ranks, std::string_view group) {
        const std::int64_t elements = std::int64_t{35} << 19;  // 35 MiB
        const NodeId input = parameter(std::string("p_").append(name), "bfloat16", elements);
        return wait(std::string("wait_").append(name),
                    call(name, "_c10d_functional.all_gather_into_tensor.default",
                         {Value::of_node(input), Value::of_integer(ranks), builder_.string(group)}, {elements}));
    };
    const NodeId a = gather("a", 16, "0"), b = gather("b", 16, "0");
    output({a, b, gather("c", 8, "1")});
    run("pre_bucket_fsdp_collectives");
    ASSERT_EQ(result_.report.buckets.size(), 1u);
    EXPECT_EQ(result_.report.buckets[0].members, Names({"a", "b"}));
}

TEST_F(StandAloneBucketingTest, WaitsOnOneValueBecomeTheFirst) {
    gathers({{"a", "0"}});
    const NodeId nested = wait("nested", waits_[0]), again = wait("again", starts_[0]);
    const NodeId deep = wait("deep", nested);
    output({call("u1", "aten.neg.default", {nested}), call("u2", "aten.neg.default", {again}),
            call("u3", "aten.neg.default", {deep})});
    run("deduplicate_wait_tensors");
    const Names first = {std::string(graph_->name(waits_[0]))};
    for (const char* user : {"u1", "u2", "u3"}) EXPECT_EQ(inputs(user), first) << user;
    for (const char* gone : {"nested", "again", "deep"}) EXPECT_EQ(result_.graph->find(gone), no_node) << gone;
    EXPECT_EQ(problem_kinds(), Names({"duplicate_wait"}));
}

}  // namespace
}  // namespace overlap
