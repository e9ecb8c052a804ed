// Which samples of a run count for which class, process group or link, and with which work.

#include "core/calibrate/sorted_samples.h"

#include <gtest/gtest.h>

#include "tests/calibrate/calibration_sketch.h"

namespace overlap::test {
namespace {

SortedSamples sorted(const CalibrationRun& run) {
    const std::vector<double> known_ms(run.graph->node_count(), 0.25);
    return sorted_samples({&run, 1}, plain_device(), {&known_ms, 1});
}

TEST(SortedSamples, AreByClassByGroupAndOfCopies) {
    CalibrationSketch drawn;
    const NodeId moved = drawn.moved(2), product = drawn.product(1), reduced = drawn.reduced(4000);
    const NodeId copied = drawn.call("ao.offload.default", GraphSketch::values({moved}),
                                     drawn.sketch.tensor("float32", {250'000}, "cpu"));
    const NodeId view =
        drawn.call("aten.view.default", GraphSketch::values({moved}), drawn.sketch.tensor("float32", {250'000}));
    drawn.measured(moved, 5, 1);
    drawn.measured(product, 3);
    drawn.measured(reduced, 7);
    drawn.measured(copied, 9);
    drawn.measured(view, 11);
    drawn.run.samples[2].beside_others_ms = 6;
    const SortedSamples found = sorted(drawn.finish());

    ASSERT_EQ(found.classes.size(), 2u);  // a view is of no class
    ASSERT_EQ(found.classes.at("memory").size(), 1u);
    EXPECT_DOUBLE_EQ(found.classes.at("memory")[0].work, 2);
    EXPECT_EQ(found.classes.at("memory")[0].time_ms, 5);
    EXPECT_EQ(found.classes.at("memory")[0].beside_ms, 1);
    EXPECT_EQ(found.classes.at("memory")[0].known_ms, 0.25);
    ASSERT_EQ(found.classes.at("matrix_multiply").size(), 1u);
    EXPECT_DOUBLE_EQ(found.classes.at("matrix_multiply")[0].work, 1);
    ASSERT_EQ(found.groups.at("0").size(), 1u);
    EXPECT_EQ(found.groups.at("0")[0].work, 4000);
    EXPECT_EQ(found.groups.at("0")[0].beside_others_ms, 6);
    EXPECT_EQ(found.group_sizes.at("0"), 4);
    ASSERT_EQ(found.transfers.size(), 1u);
    EXPECT_EQ(found.transfers[0].work, 1e6);
    EXPECT_TRUE(found.generated.empty());
    EXPECT_EQ(rows_of_samples(drawn.run), (std::vector<std::string>{"class memory", "class matrix_multiply", "group 0",
                                                                    "link host", "class nothing"}));
}

TEST(SortedSamples, OfAKernelOfSeveralNodesAreOne) {
    CalibrationSketch drawn;
    const NodeId product = drawn.product(1), added = drawn.moved(2), other = drawn.moved(3);
    drawn.run.samples.push_back({.node = added, .others = {product}, .time_ms = 4, .beside_ms = {}});
    drawn.run.samples.push_back({.node = added, .others = {other}, .time_ms = 4, .beside_ms = {}});
    const SortedSamples found = sorted(drawn.finish());
    ASSERT_EQ(found.classes.at("matrix_multiply").size(), 1u);
    EXPECT_DOUBLE_EQ(found.classes.at("matrix_multiply")[0].work, 3);
    EXPECT_EQ(found.classes.at("matrix_multiply")[0].known_ms, 0.5);
    ASSERT_EQ(found.classes.at("memory").size(), 1u);
    EXPECT_DOUBLE_EQ(found.classes.at("memory")[0].work, 5);
}

TEST(SortedSamples, OfProductsOfExpertsAreProductsWhereThatIsHowTheyArePriced) {
    for (const bool priced_by_kernels : {true, false}) {
        CalibrationSketch drawn;
        const NodeId left = drawn.sketch.input("left", drawn.sketch.tensor("float32", {500, 100}));
        const NodeId right = drawn.sketch.input("right", drawn.sketch.tensor("float32", {2, 100, 10}));
        const NodeId product = drawn.call("aten._grouped_mm.default", GraphSketch::values({left, right}),
                                          drawn.sketch.tensor("float32", {500, 10}));
        drawn.measured(product, 1);
        if (priced_by_kernels) drawn.run.compilation = Compilation{.scope = CompiledScope::eager};
        drawn.finish();
        EXPECT_EQ(rows_of_samples(drawn.run)[0], priced_by_kernels ? "class matrix_multiply" : "class memory");
    }
}

TEST(SortedSamples, OfGeneratedKernelsAreTheirMean) {
    struct Case {
        std::uint32_t modelled;
        double total_ms;
        bool counts;
    };
    for (const Case& one :
         {Case{4, 20, true}, Case{1, 20, true}, Case{0, 20, false}, Case{4, 0.5, true}, Case{4, 0, false}}) {
        CalibrationSketch drawn;
        const NodeId first = drawn.moved(2), second = drawn.moved(6);
        drawn.run.generated = {
            .nodes = {first, second}, .modelled = one.modelled, .measured = 7, .total_ms = one.total_ms};
        const std::vector<MeanKernel> means = sorted(drawn.finish()).generated;
        ASSERT_EQ(means.size(), one.counts ? 1u : 0u) << one.modelled << ' ' << one.total_ms;
        if (!one.counts) continue;
        EXPECT_EQ(means[0].kernels, one.modelled);
        EXPECT_DOUBLE_EQ(means[0].work_ms, 8.0 / one.modelled);
        EXPECT_DOUBLE_EQ(means[0].time_ms, one.total_ms / one.modelled);
    }
}

TEST(SortedSamples, OfGeneratedKernelsWithoutWorkAreNone) {
    CalibrationSketch drawn;
    drawn.moved(2);
    drawn.run.generated = {.nodes = {}, .modelled = 4, .measured = 4, .total_ms = 20};
    EXPECT_TRUE(sorted(drawn.finish()).generated.empty());
}

}  // namespace
}  // namespace overlap::test
