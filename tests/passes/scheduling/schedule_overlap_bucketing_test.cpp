#include <algorithm>

#include "core/passes/registry/registry.h"
#include "tests/passes/scheduling/scheduling_fixture.h"

namespace overlap {
namespace {

/// Tensors of 16 bytes: a gather counts 32, an all-reduce 16.
class ScheduleOverlapBucketingTest : public test::SchedulingTest {
  protected:
    /// Two products, each of which needs a gathered parameter: p1, g1, w1, m1, p2, g2, w2, m2.
    void two_layers(double compute_ms, double gather_ms, std::string_view second_group = "0") {
        const NodeId x = placeholder("x"), p1 = placeholder("p1"), p2 = placeholder("p2");
        const NodeId m1 = compute("m1", x, awaited("w1", gather("g1", p1, gather_ms)), compute_ms);
        output({compute("m2", m1, awaited("w2", gather("g2", p2, gather_ms, second_group)), compute_ms)});
    }
    static Json gigabytes(double bytes) { return bytes / (1024.0 * 1024 * 1024); }
    static std::size_t place(const Names& names, std::string_view name) {
        return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    }
};

TEST_F(ScheduleOverlapBucketingTest, AGraphWithoutWaitsStaysAsItIs) {
    const NodeId x = placeholder("x");
    gather("g", x, 1);
    output({compute("m", x, x, 1)});
    run("schedule_overlap_bucketing");
    EXPECT_TRUE(is_input());
    EXPECT_TRUE(result_.report.collectives.empty());
}

TEST_F(ScheduleOverlapBucketingTest, ComputeHidesTheNextGather) {
    two_layers(2, 1);
    EXPECT_EQ(scheduled(), (Names{"x", "p1", "p2", "g1", "w1", "g2", "m1", "w2", "m2", "output"}));
    EXPECT_EQ(record("g1").exposed_ms, 1);
    EXPECT_TRUE(record("g1").hiding.empty());
    EXPECT_EQ(record("g2").exposed_ms, 0);
    EXPECT_EQ(record("g2").hiding, (Names{"m1"}));
    EXPECT_EQ(record("g2").estimated_ms, 1);
    EXPECT_EQ(record("g2").size_bytes, 32);
}

TEST_F(ScheduleOverlapBucketingTest, AShortNodeHidesAPart) {
    two_layers(0.25, 1);
    scheduled();
    EXPECT_EQ(record("g2").exposed_ms, 0.75);
}

TEST_F(ScheduleOverlapBucketingTest, TheMultiplierScalesWhatANodeHides) {
    two_layers(2, 1);
    scheduled(only_scheduling({{"compute_overlap_multipler", 0.25}}));
    EXPECT_EQ(record("g2").exposed_ms, 0.5);
}

TEST_F(ScheduleOverlapBucketingTest, TimesThatOnlyTheJobKnowsAreACaution) {
    two_layers(2, 1);
    scheduled(only_scheduling({{"compute_estimator", "analytical"}, {"pge_profile_path", ""}}));
    EXPECT_EQ(problem_kinds(), Names());
    for (const auto& [option, value] : {std::pair{"compute_estimator", "benchmark"},
                                        {"collective_estimator", "benchmark"},
                                        {"pge_profile_path", "profile.json"}}) {
        builder_ = GraphBuilder();
        two_layers(2, 1);
        scheduled(only_scheduling({{option, value}}));
        EXPECT_EQ(problem_kinds(), Names({"times_of_the_graph"}));
        EXPECT_TRUE(result_.report.problems.front().message.starts_with(option));
    }
}

TEST_F(ScheduleOverlapBucketingTest, WaitingForOneGroupHidesAnother) {
    two_layers(0, 1, "1");
    scheduled();
    EXPECT_EQ(record("g2").hiding, (Names{"w1"}));
    EXPECT_EQ(record("g2").exposed_ms, 0);
}

/// The same graph with an operator between the second parameter and its gather.
class PreparedGatherTest : public ScheduleOverlapBucketingTest {
  protected:
    double exposed_behind(std::string_view target) {
        const NodeId x = placeholder("x"), p = placeholder("p");
        const NodeId m1 = compute("m1", x, x, 2);
        const NodeId prepared = call("prepared", target, {Value::of_node(p)}, {8}, taking(0));
        output({compute("m2", m1, awaited("w", gather("g", prepared, 1)), 2)});
        scheduled();
        return record("g").exposed_ms;
    }
};

TEST_F(PreparedGatherTest, WhatPreparesAGatherRunsEarlyWithIt) {
    EXPECT_EQ(exposed_behind("aten.sin.default"), 0);
}

TEST_F(PreparedGatherTest, CommunicationDoesNotRunEarly) {
    EXPECT_EQ(exposed_behind("_dtensor.shard_dim_alltoall.default"), 1);
}

TEST_F(ScheduleOverlapBucketingTest, NothingIsPrefetchedAheadOfTooManyComputeNodes) {
    two_layers(2, 1);
    scheduled(only_scheduling({{"max_compute_pre_fetch", 0}}));
    EXPECT_EQ(record("g2").exposed_ms, 1);
}

TEST_F(ScheduleOverlapBucketingTest, NothingIsPrefetchedBeyondTheBytesInFlight) {
    two_layers(2, 1);
    scheduled(only_scheduling({{"max_in_flight_gb", gigabytes(31)}}));
    EXPECT_EQ(record("g2").exposed_ms, 1);
}

TEST_F(ScheduleOverlapBucketingTest, NothingIsPrefetchedBeyondTheMemoryLimit) {
    const Json none = {{"max_memory_increase_gb", 0}, {"max_memory_increase_ratio", 0}};
    two_layers(2, 1);
    scheduled(only_scheduling(none));
    EXPECT_EQ(record("g2").exposed_ms, 1);
}

TEST_F(ScheduleOverlapBucketingTest, WithoutMemoryLimitsMemoryIsNotLookedAt) {
    const Json unlimited = {{"max_memory_increase_gb", nullptr}, {"max_memory_increase_ratio", nullptr}};
    two_layers(2, 1);
    scheduled(only_scheduling(unlimited));
    EXPECT_EQ(record("g2").exposed_ms, 0);
}

TEST_F(ScheduleOverlapBucketingTest, TheMemoryLimitGrowsWithTheOriginalPeak) {
    for (const auto& [ratio, exposed_ms] : {std::pair(0.1, 1.0), std::pair(10.0, 0.0)}) {
        builder_ = GraphBuilder();
        two_layers(2, 1);
        scheduled(only_scheduling({{"max_memory_increase_gb", nullptr}, {"max_memory_increase_ratio", ratio}}));
        EXPECT_EQ(record("g2").exposed_ms, exposed_ms) << ratio;
    }
}

TEST_F(ScheduleOverlapBucketingTest, AnAttributeTakesNoTimeAndHidesNothing) {
    const NodeId x = placeholder("x");
    const NodeId reduced = awaited("reduced", reduce("r", x, 1));
    NodeRecord attribute;
    attribute.name = builder_.intern("attribute");
    attribute.target = builder_.target("attribute");
    attribute.op = NodeOp::get_attr;
    attribute.args = builder_.list({});
    attribute.has_outputs = true;
    const TensorMeta out = tensor({8});
    output({compute("m", x, builder_.add(attribute, {}, std::span(&out, 1)), 2), reduced});
    scheduled();
    EXPECT_EQ(record("r").hiding, (Names{"m"}));
}

TEST_F(ScheduleOverlapBucketingTest, TellsWhyACollectiveIsInNoBucket) {
    two_layers(2, 1);  // m1 hides g2 and needs g1
    scheduled(only_scheduling({{"collective_bucketing", true}}));
    const std::string reason = "because one needs the other's result, or what hides one needs the other's";
    EXPECT_EQ(record("g1").kept_apart, "with \"g2\", " + reason);
    EXPECT_EQ(record("g2").kept_apart, "with \"g1\", " + reason);
}

TEST_F(ScheduleOverlapBucketingTest, TellsThatABucketWouldBeTooLarge) {
    const auto large = [&](const std::string& name) {
        const std::int64_t elements = std::int64_t{1} << 29;  // 1 GiB, and as much of the result
        const NodeId input = placeholder("p_" + name, {elements});
        return awaited("w_" + name, call(name, "_c10d_functional.all_gather_into_tensor.default",
                                         {Value::of_node(input), Value::of_integer(8), builder_.string("0")},
                                         {elements}, taking(1)));
    };
    const NodeId a = large("a"), b = large("b");
    output({a, b});
    scheduled(only_scheduling({{"collective_bucketing", true}}));
    EXPECT_EQ(record("a").kept_apart, "with \"b\", because the bucket would exceed 2 GiB");
    EXPECT_EQ(record("b").kept_apart, "with \"a\", because the bucket would exceed 2 GiB");
}

TEST_F(ScheduleOverlapBucketingTest, TellsNoReasonForWhatIsMerged) {
    const NodeId p1 = placeholder("p1"), p2 = placeholder("p2");
    const NodeId g1 = gather("g1", p1, 1), g2 = gather("g2", p2, 1);
    output({awaited("w1", g1), awaited("w2", g2)});
    scheduled(only_scheduling({{"collective_bucketing", true}}));
    ASSERT_EQ(result_.report.buckets.size(), 1u);
    for (const char* name : {"g1", "g2"}) EXPECT_EQ(record(name).kept_apart, "") << name;
}

TEST_F(ScheduleOverlapBucketingTest, TellsThatAWaitIsNeededToHideAnotherGroup) {
    const NodeId p1 = placeholder("p1"), p2 = placeholder("p2"), p3 = placeholder("p3");
    const NodeId g1 = gather("g1", p1, 1), g2 = gather("g2", p2, 1), other = gather("other", p3, 1, "1");
    output({awaited("w1", g1), awaited("w2", g2), awaited("w3", other)});
    scheduled(only_scheduling({{"collective_bucketing", true}}));
    EXPECT_EQ(record("other").hiding, (Names{"w1"}));
    EXPECT_EQ(record("g1").kept_apart, "because waiting for it hides a collective of another group");
}

TEST_F(ScheduleOverlapBucketingTest, HugeCountsAreNoLimits) {
    const std::uint64_t most = ~std::uint64_t{0};
    two_layers(2, 1);
    scheduled(only_scheduling({{"max_compute_pre_fetch", most}, {"max_coll_distance", most}}));
    EXPECT_EQ(record("g2").exposed_ms, 0);
}

/// Reductions that only the result needs. `mid` is a product between them.
class OffPathTest : public ScheduleOverlapBucketingTest {
  protected:
    void reductions() {
        const NodeId x = placeholder("x");
        const NodeId m1 = compute("m1", x, x, 1);
        const NodeId w1 = awaited("w1", reduce("r1", m1, 1));
        const NodeId m2 = compute("m2", m1, m1, 1);
        const NodeId w2 = awaited("w2", reduce("r2", m2, 1));
        const NodeId m3 = compute("m3", m2, m2, 8);
        output({w1, w2, m3});
    }
};

TEST_F(OffPathTest, AreHiddenByLaterCompute) {
    reductions();
    const Names order = scheduled();
    EXPECT_LT(place(order, "r1"), place(order, "m2"));
    EXPECT_EQ(record("r1").hiding, (Names{"m2"}));
    EXPECT_EQ(record("r2").hiding, (Names{"m3"}));
}

TEST_F(OffPathTest, MergeOnlyWhenWhatIsHiddenStaysHidden) {
    reductions();
    scheduled(only_scheduling({{"collective_bucketing", true}}));
    EXPECT_TRUE(result_.report.buckets.empty());  // r1 is waited for after m2, on which r2 depends
}

TEST_F(ScheduleOverlapBucketingTest, GathersThatOneNodeHidesBecomeOne) {
    const NodeId x = placeholder("x"), p1 = placeholder("p1"), p2 = placeholder("p2");
    const NodeId m1 = compute("m1", x, x, 4);
    const NodeId w1 = awaited("w1", gather("g1", p1, 1)), w2 = awaited("w2", gather("g2", p2, 1));
    output({compute("m2", m1, call("sum", "aten.add.Tensor", {w1, w2}), 1)});
    scheduled(only_scheduling({{"collective_bucketing", true}}));
    ASSERT_EQ(result_.report.buckets.size(), 1u);
    EXPECT_EQ(result_.report.buckets[0].members, (Names{"g1", "g2"}));
    EXPECT_EQ(record("g2").hiding, (Names{"m1"}));  // the records are those before merging
}

TEST_F(ScheduleOverlapBucketingTest, OverlapsBecomeDependenciesWhereTheyAreAskedFor) {
    two_layers(2, 1);
    scheduled(only_scheduling({{"insert_overlap_deps", true}}));
    const NodeId first = result_.graph->find("m1");
    const auto is_wrapped = [&](NodeId node) { return result_.graph->target(node) == "higher_order.control_deps"; };
    std::size_t wrapped = 0;
    for (NodeId node = 0; node < result_.graph->node_count(); ++node) wrapped += is_wrapped(node);
    EXPECT_GE(wrapped, 1u);
    EXPECT_TRUE(first == no_node || is_wrapped(first));
}

/// Not so for every graph: what an attempt starts depends on the order that it is given.
TEST_F(ScheduleOverlapBucketingTest, AChainOfLayersStaysAsScheduled) {
    two_layers(2, 1);
    const Names order = scheduled();
    const Pass& pass = require_pass("schedule_overlap_bucketing");
    result_ = pass.run(result_.graph, read_options(pass, only_scheduling()), {});
    EXPECT_EQ(names(), order);
    EXPECT_EQ(record("g2").hiding, (Names{"m1"}));
}

TEST_F(ScheduleOverlapBucketingTest, AStoppedRunHasNoResult) {
    two_layers(2, 1);
    std::stop_source source;
    source.request_stop();
    const Pass& pass = require_pass("schedule_overlap_bucketing");
    const auto graph = std::make_shared<const Graph>(builder_.finish(header_));
    EXPECT_EQ(pass.run(graph, read_options(pass, only_scheduling()), source.get_token()).graph, nullptr);
}

/// What the pass cannot use is said in one sentence that names the node.
class ScheduleRefusalTest : public ScheduleOverlapBucketingTest {
  protected:
    void expect_refusal(std::initializer_list<const char*> words) {
        const std::string message = refusal("schedule_overlap_bucketing", only_scheduling());
        for (const char* word : words) EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
    }
};

TEST_F(ScheduleRefusalTest, AGraphWithoutTimes) {
    header_.cost.reset();
    const NodeId x = placeholder("x");
    output({wait("w", all_gather("g", x))});
    expect_refusal({"\"g\"", "no cost_model", "estimate_ms"});
}

TEST_F(ScheduleRefusalTest, AGroupWithoutALatency) {
    header_.cost->links.clear();
    two_layers(2, 1);
    expect_refusal({"\"g1\"", "latency", "process group \"0\""});
}

TEST_F(ScheduleRefusalTest, ANegativeTime) {
    two_layers(-1, 1);
    expect_refusal({"\"m1\"", "-1", "not negative"});
}

TEST_F(ScheduleRefusalTest, ATimeThatIsNoNumber) {
    two_layers(std::numeric_limits<double>::quiet_NaN(), 1);
    expect_refusal({"\"m1\"", "finite"});
}

TEST_F(ScheduleRefusalTest, ACollectiveWhoseGroupIsNoName) {
    const NodeId x = placeholder("x");
    const NodeId start = call("g", "_c10d_functional.all_gather_into_tensor.default",
                              {Value::of_node(x), Value::of_integer(8), Value::of_integer(0)}, {8}, taking(1));
    output({awaited("w", start)});
    expect_refusal({"\"g\"", "process group"});
}

}  // namespace
}  // namespace overlap
