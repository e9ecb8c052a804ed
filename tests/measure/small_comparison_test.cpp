// Differences of small steps, each in one thing, and what the table says of them.

#include <gtest/gtest.h>

#include "core/measure/variant_comparison.h"
#include "tests/cost/graph_sketch.h"
#include "tests/measure/simulated_trace.h"

namespace overlap::test {
namespace {

/// A step that computes and then gathers.
struct Drawn {
    double compute_ms = 1, time_ms = 2;
    std::string group = "0";
    std::int64_t elements = 16;
    const char* target = "_c10d_functional.all_gather_into_tensor.default";
    bool another = false;  ///< a second collective behind it

    std::shared_ptr<const Evaluation> evaluated() const {
        GraphSketch sketch;
        sketch.group("1", 4, 0.02, 1e9);
        const NodeId x = sketch.input("x", sketch.tensor("float32", {4, 4}));
        const NodeId computed = sketch.compute("computed", {x, x}, compute_ms);
        const bool gathers = std::string(target).find("all_gather") != std::string::npos;
        const std::vector<Value> arguments = {Value::of_node(computed),
                                              gathers ? Value::of_integer(4) : sketch.text("sum"), sketch.text(group)};
        const NodeId collective =
            sketch.call("collective", target, arguments, {sketch.tensor("float32", {elements})}, time_ms);
        NodeId last = sketch.wait("wait", collective);
        if (another) last = sketch.wait("other_wait", sketch.reduce("other", last, 3));
        return evaluate_baseline(std::make_shared<const Graph>(sketch.finish({last})));
    }
};

ComparisonRow row_of(const Drawn& before, const Drawn& after) {
    const Comparison comparison = compare_variants(*before.evaluated(), *after.evaluated());
    EXPECT_EQ(comparison.rows.size(), 1u);
    return comparison.rows.at(0);
}

TEST(SmallComparison, OfTheSameHasNoEffect) {
    const ComparisonRow row = row_of({}, {});
    EXPECT_EQ(row.change, CollectiveChange::same);
    EXPECT_FALSE(row.has_effect());
    EXPECT_EQ(row.remark, "");
}

TEST(SmallComparison, SaysWhatStartsAtAnotherTime) {
    const ComparisonRow later = row_of({.compute_ms = 1}, {.compute_ms = 3});
    EXPECT_EQ(later.change, CollectiveChange::moved);
    EXPECT_EQ(later.start_change_ms(), 2);
    EXPECT_EQ(later.exposed_change_ms(), 0);
    EXPECT_EQ(later.remark, "starts 2 ms later");
    EXPECT_EQ(row_of({.compute_ms = 3}, {.compute_ms = 1}).remark, "starts 2 ms earlier");
}

TEST(SmallComparison, SaysWhatIsOnAnotherGroup) {
    const ComparisonRow row = row_of({.group = "0"}, {.group = "1"});
    EXPECT_EQ(row.change, CollectiveChange::changed);
    EXPECT_TRUE(row.group_changed);
    EXPECT_EQ(row.remark, "on group \"1\" instead of \"0\"");
}

TEST(SmallComparison, SaysWhatHasOtherBytesAndTakesAnotherTime) {
    const ComparisonRow larger = row_of({.elements = 16}, {.elements = 64});
    EXPECT_EQ(larger.change, CollectiveChange::changed);
    EXPECT_TRUE(larger.bytes_changed);
    EXPECT_FALSE(larger.time_changed);
    const ComparisonRow longer = row_of({.time_ms = 2}, {.time_ms = 5});
    EXPECT_EQ(longer.change, CollectiveChange::changed);
    EXPECT_TRUE(longer.time_changed);
    EXPECT_EQ(longer.remark, "5 ms instead of 2 ms");
    EXPECT_EQ(longer.time_change_ms(), 3);
    EXPECT_EQ(longer.exposed_change_ms(), 3);
}

TEST(SmallComparison, HasAnotherKindForAChange) {
    const ComparisonRow row = row_of({}, {.target = "_c10d_functional.all_reduce.default"});
    EXPECT_EQ(row.change, CollectiveChange::changed);
    EXPECT_FALSE(row.bytes_changed || row.time_changed || row.group_changed || row.members_changed);
}

TEST(SmallComparison, TellsWhatAppearsAndVanishes) {
    const auto one = Drawn().evaluated(), two = Drawn{.another = true}.evaluated();
    const Comparison more = compare_variants(*one, *two), less = compare_variants(*two, *one);
    ASSERT_EQ(more.rows.size(), 2u);
    EXPECT_EQ(more.rows[0].change, CollectiveChange::appeared);
    EXPECT_FALSE(more.rows[0].before);
    ASSERT_TRUE(more.rows[0].after);
    EXPECT_EQ(more.rows[0].after->name, "other");
    EXPECT_EQ(more.rows[0].after->time_ms, 3);
    EXPECT_EQ(more.rows[0].after->members, 1u);
    EXPECT_EQ(more.rows[0].counterpart, "");
    EXPECT_EQ(more.before.communication_ms, 2);
    EXPECT_EQ(more.after.communication_ms, 5);
    ASSERT_EQ(less.rows.size(), 2u);
    EXPECT_EQ(less.rows[0].change, CollectiveChange::vanished);
    ASSERT_TRUE(less.rows[0].before);
    EXPECT_EQ(less.rows[0].before->name, "other");
    EXPECT_FALSE(less.rows[0].after);
}

TEST(SmallComparison, AgainstAMeasurementIsMovedFromItsThresholdOn) {
    // A tenth of the 5 ms that the gather is planned to take.
    const auto evaluation = Drawn{.time_ms = 5}.evaluated();
    const SimulatedTrace written(*evaluation);
    MeasuredComparison measured = compare_with_measurement(evaluation, measured_step(written.finish()));
    ASSERT_EQ(measured.rows.size(), 1u);
    measured.rows[0].measured_start_ms = measured.rows[0].planned_start_ms = 1;
    measured.rows[0].measured_exposed_ms = 5.5;
    EXPECT_EQ(compare_variants(measured).rows[0].change, CollectiveChange::moved);
    measured.rows[0].measured_exposed_ms = 5.49;
    EXPECT_EQ(compare_variants(measured).rows[0].change, CollectiveChange::same);
}

}  // namespace
}  // namespace overlap::test
