// Why the scheduler leaves a collective exposed, and which of its options would hide it: on graphs small enough that
// all figures can be counted.

#include <gtest/gtest.h>

#include <utility>

#include "core/explain/explain_schedule.h"
#include "core/plan/automatic_plan.h"
#include "tests/cost/graph_sketch.h"

namespace overlap {
namespace {

using Sentences = std::vector<std::string>;

/// What PyTorch's scheduler makes of a sketch where it merges nothing.
std::shared_ptr<Evaluation> scheduled(Graph graph, const Options& options = {}) {
    const auto input = std::make_shared<const Graph>(std::move(graph));
    Plan plan = automatic_plan(Plan(), *input);
    plan.pipeline.back().options["pre_bucketing_fsdp_collectives"] = false;
    plan.pipeline.back().options["collective_bucketing"] = false;
    plan.pipeline.back().options.update(options);
    const auto evaluation = evaluate(input, plan);
    EXPECT_FALSE(evaluation->refused);
    return std::make_shared<Evaluation>(*evaluation);
}

/// `three` (1 ms) needs the gather `a` (3 ms), `four` (1 ms) the gather `b` (2 ms); `one` (1 ms) and `two` (0.5 ms)
/// come first. `a` begins behind `one` where that is requested.
Graph two_gathers(bool behind_one = false, std::string_view group_of_b = "0") {
    test::GraphSketch sketch;
    sketch.group("1", 4, 0.02, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId one = sketch.compute("one", {x}, 1);
    const NodeId a = sketch.gather("a", behind_one ? one : x, 3), b = sketch.gather("b", x, 2, group_of_b);
    const NodeId two = sketch.compute("two", {x}, 0.5);
    const NodeId three = sketch.compute("three", {sketch.wait("wait_a", a), two}, 1);
    return sketch.finish({sketch.compute("four", {sketch.wait("wait_b", b), three}, 1)});
}

TEST(Exposure, ComputeThatCouldHideItIsCounted) {
    const auto evaluation = scheduled(two_gathers());
    const Sentences told = explain_exposure(*evaluation, "a");
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0],
              "2 nodes of compute, 1.5 ms, are independent of it; the scheduler keeps compute in order, and 2 nodes of "
              "them, 1.5 ms, run before three, which needs it: less than it takes");
}

TEST(Exposure, OthersOfTheGroupThatTheSameComputeHidesAreNamed) {
    EXPECT_EQ(explain_exposure(*scheduled(two_gathers()), "b").at(1),
              "Of that, 1.5 ms hide 1 other collective of process group \"0\", which does one at a time: a; on another "
              "process group the same compute could hide it as well");
    EXPECT_EQ(explain_exposure(*scheduled(two_gathers(true)), "a").at(1),
              "Of that, 0.5 ms hide 1 other collective of process group \"0\", which does one at a time: b");
    // One of another group stands in nobody's way.
    const Sentences apart = explain_exposure(*scheduled(two_gathers(false, "1")), "a");
    ASSERT_FALSE(apart.empty());
    for (const std::string& sentence : apart) EXPECT_EQ(sentence.find("Of that"), sentence.npos) << sentence;
}

TEST(Exposure, WithoutIndependentComputeBothSidesAreCounted) {
    test::GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId one = sketch.compute("one", {x}, 1), two = sketch.compute("two", {one}, 1);
    const NodeId a = sketch.gather("a", two, 3);
    const auto evaluation = scheduled(sketch.finish({sketch.compute("three", {sketch.wait("wait_a", a)}, 1)}));
    EXPECT_EQ(explain_schedule(*evaluation, "a"),
              Sentences{"The scheduler found nothing to hide it behind and leaves 3 ms of its 3 ms exposed"});
    EXPECT_EQ(explain_exposure(*evaluation, "a").at(0),
              "No compute could run while it does: 2 nodes of compute must run before it, and 1 node after it");
}

/// Of two gathers that may be merged the scheduler counts the latency once.
TEST(Exposure, LatencyThatIsNotCountedIsTold) {
    test::GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId a = sketch.gather("a", x, 3), b = sketch.gather("b", x, 2);
    const NodeId three = sketch.compute("three", {sketch.wait("wait_a", a), sketch.wait("wait_b", b)}, 1);
    const auto evaluation = scheduled(sketch.finish({three}));
    EXPECT_EQ(
        explain_schedule(*evaluation, "b"),
        Sentences{"The scheduler found nothing to hide it behind and leaves 1.98 ms of its 2 ms exposed; the other "
                  "20 µs are latency, which it does not count of what may be merged with another that is in "
                  "flight"});
}

TEST(Exposure, LimitsInEffectAreNamedWhereNoneHelps) {
    const auto named = [](const Options& options) {
        const std::string last = explain_exposure(*scheduled(two_gathers(), options), "a").back();
        const std::string before = "Lifting the scheduler's limits, each and all at once, changes nothing for it: ";
        EXPECT_TRUE(last.starts_with(before)) << last;
        return last.substr(std::min(last.size(), before.size()));
    };
    const std::string usual = "max_in_flight_gb, max_memory_increase_gb, ";
    const std::string off_bucket = "max_off_bucket_gb", prioritised = "prioritize_bucketing_during_scheduling";
    EXPECT_EQ(named({}), usual + off_bucket + ", " + prioritised);
    EXPECT_EQ(named({{"max_off_bucket_gb", OptionValue()}}), usual + prioritised);
    EXPECT_EQ(named({{"prioritize_bucketing_during_scheduling", false}}), usual + off_bucket);
    EXPECT_EQ(named({{"max_memory_increase_gb", OptionValue()}, {"max_memory_increase_ratio", 4.0}}),
              "max_in_flight_gb, max_memory_increase_ratio, " + off_bucket + ", " + prioritised);
    EXPECT_EQ(named({{"max_memory_increase_gb", OptionValue()}, {"max_memory_increase_ratio", OptionValue()}}),
              "max_in_flight_gb, " + off_bucket + ", " + prioritised);
    EXPECT_EQ(named({{"max_in_flight_gb", 1024.0}}), "max_memory_increase_gb, " + off_bucket + ", " + prioritised);
    EXPECT_EQ(named({{"max_compute_pre_fetch", std::int64_t{4}}, {"max_coll_distance", std::int64_t{4}}}),
              "max_in_flight_gb, max_compute_pre_fetch, max_coll_distance, max_memory_increase_gb, " + off_bucket +
                  ", " + prioritised);
}

/// `one` (4 ms), which needs nothing of the gathers `a` and `b` (3 ms each) of `gigabytes` each, then what needs both.
Graph large_gathers(double gigabytes) {
    test::GraphSketch sketch;
    const auto count = static_cast<std::int64_t>(gigabytes * (1 << 30) / 16);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {count}));
    const NodeId one = sketch.compute("one", {x}, 4);
    const auto gather = [&](std::string_view name) {
        return sketch.call(name, "_c10d_functional.all_gather_into_tensor.default",
                           {Value::of_node(x), Value::of_integer(4), sketch.text("0")},
                           {sketch.tensor("float32", {4 * count})}, 3);
    };
    const NodeId a = gather("a"), b = gather("b");
    const NodeId two = sketch.compute("two", {sketch.wait("wait_a", a), one}, 4);
    return sketch.finish({sketch.compute("three", {sketch.wait("wait_b", b), two}, 1)});
}

TEST(Exposure, TheMildestValueThatHelpsIsTold) {
    const Options unlimited = {{"max_memory_increase_gb", OptionValue()}, {"max_memory_increase_ratio", OptionValue()}};
    Options tight = unlimited;
    tight["max_in_flight_gb"] = 0.25;
    EXPECT_EQ(explain_exposure(*scheduled(large_gathers(1.5), tight), "a"),
              Sentences({"1 node of compute, 4 ms, is independent of it; the scheduler keeps compute in order, and 1 "
                         "node of them, 4 ms, runs before two, which needs it",
                         "With max_in_flight_gb 2 it is hidden, behind one; all collectives together are then exposed "
                         "0 ms instead of 6 ms"}));
}

TEST(Exposure, TheMarginOfWhatHidesIsALimit) {
    EXPECT_EQ(explain_exposure(*scheduled(large_gathers(1.5), {{"compute_overlap_multipler", 0.5}}), "a").back(),
              "With compute_overlap_multipler lifted (1) it is hidden, behind one; all collectives together are then "
              "exposed 3 ms instead of 4 ms");
}

TEST(Exposure, AShareOfThePeakIsLoosenedFromAnEighth) {
    test::GraphSketch sketch;
    const NodeId large = sketch.input("large", sketch.tensor("float32", {4096}));
    const NodeId x = sketch.input("x", sketch.tensor("float32", {128}));
    const NodeId one = sketch.compute("one", {x}, 4);
    const NodeId a =
        sketch.call("a", "_c10d_functional.all_gather_into_tensor.default",
                    {Value::of_node(x), Value::of_integer(4), sketch.text("0")}, {sketch.tensor("float32", {512})}, 3);
    const NodeId two = sketch.compute("two", {sketch.wait("wait_a", a), one}, 4);
    const auto evaluation = scheduled(sketch.finish({two, large}),
                                      {{"max_memory_increase_gb", OptionValue()}, {"max_memory_increase_ratio", 0.0}});
    EXPECT_EQ(
        explain_exposure(*evaluation, "a").back(),
        "With max_memory_increase_ratio 0.125 it is hidden, behind one; all collectives together are then exposed "
        "0 ms instead of 3 ms");
}

TEST(Exposure, AHundredthOfItsTimeIsNoHelp) {
    const auto evaluation = scheduled(two_gathers());
    CollectiveReport& report = evaluation->reports.at(0).collectives.at(0);
    ASSERT_EQ(report.start, "a");
    ASSERT_EQ(report.estimated_ms, 3);
    report.exposed_ms += 0.025;
    EXPECT_TRUE(explain_exposure(*evaluation, "a").back().starts_with("Lifting the scheduler's limits"));
    report.exposed_ms += 0.01;
    const std::string better = "With max_in_flight_gb 10 only 1.5 ms of it stay exposed, behind one, two; ";
    EXPECT_EQ(explain_exposure(*evaluation, "a").at(1),
              better + "all collectives together are then exposed 2.5 ms instead of 2.535 ms");
    evaluation->reports[0].collectives.at(1).exposed_ms -= 0.035;
    EXPECT_EQ(explain_exposure(*evaluation, "a").at(1),
              better + "all collectives together stay exposed as long as now");
}

TEST(Exposure, OfSeveralThatWereMergedAfterwardsTheMostExposedStandsForAll) {
    const auto evaluation = scheduled(two_gathers());
    BucketReport merged;
    merged.members = {"a", "b"};
    merged.start = "merged";
    evaluation->reports.at(0).buckets.push_back(merged);
    EXPECT_EQ(explain_schedule(*evaluation, "merged"),
              Sentences{"The scheduler leaves 2.5 ms of the 5 ms of the 2 collectives that were merged afterwards "
                        "exposed; the rest is hidden behind one, two, three"});
    EXPECT_EQ(explain_exposure(*evaluation, "merged").at(0), "Most of that is of a, 1.5 ms");
    EXPECT_NE(explain_exposure(*evaluation, "a").at(0), "Most of that is of a, 1.5 ms");
}

TEST(Exposure, WhatTakesNoTimeIsNotExposed) {
    const auto evaluation = scheduled(two_gathers());
    CollectiveReport& report = evaluation->reports.at(0).collectives.at(0);
    report.estimated_ms = report.exposed_ms = 0;
    report.hiding.clear();
    EXPECT_FALSE(scheduler_leaves_exposed(*evaluation, "a"));
    EXPECT_EQ(explain_schedule(*evaluation, "a"),
              Sentences{"The scheduler counts no time for it that something would have to hide"});
}

TEST(Exposure, PartsOfABucketMayBeHiddenWhereTheWholeIsNot) {
    test::GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {65536}));
    const NodeId one = sketch.compute("one", {x}, 1.1);
    const auto gather = [&](std::string_view name) {
        return sketch.call(name, "_c10d_functional.all_gather_into_tensor.default",
                           {Value::of_node(x), Value::of_integer(4), sketch.text("0")},
                           {sketch.tensor("float32", {262144})});
    };
    const NodeId a = gather("a"), b = gather("b");
    const NodeId two = sketch.compute("two", {sketch.wait("wait_a", a), one}, 1.1);
    const auto evaluation = scheduled(sketch.finish({sketch.compute("three", {sketch.wait("wait_b", b), two}, 1)}),
                                      {{"pre_bucketing_fsdp_collectives", true}});
    EXPECT_EQ(
        explain_exposure(*evaluation, "a").back(),
        "With pre_bucketing_fsdp_collectives off it is hidden, behind one, two; all collectives together are then "
        "exposed 0 ms instead of 1.017 ms");
}

}  // namespace
}  // namespace overlap
