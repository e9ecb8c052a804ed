// Classes that no run determines: which efficiency keeps the sum of times that nodes had of their own, and what is
// said.

#include "core/calibrate/kept_classes.h"

#include <gtest/gtest.h>

#include "tests/calibrate/calibration_sketch.h"

namespace overlap::test {
namespace {

/// Two nodes of 8 ms at full rates, which took 16 and 32.
CalibrationRun two_nodes() {
    CalibrationSketch drawn;
    drawn.moved(8, 16);
    drawn.moved(8, 32);
    return drawn.finish();
}

std::vector<std::string> kept(const CalibrationRun& run, NamedCostModel& model,
                              const std::set<std::string>& fitted = {}) {
    return keep_classes({&run, 1}, fitted, NamedCostModel(model), model);
}

TEST(KeptClasses, HaveTheEfficiencyThatKeepsTheirSum) {
    NamedCostModel model = plain_device();
    EXPECT_EQ(
        kept(two_nodes(), model),
        (std::vector<std::string>{
            "no run determines memory: its 2 nodes had times of their own, 48.000 ms together, and the model keeps "
            "this sum with 33.33 % of full rates for all; single nodes change by up to 50.00 %. By the efficiency "
            "that the graph's cost model gives the class they would take 16.000 ms"}));
    EXPECT_DOUBLE_EQ(model.classes.at("memory").efficiency, 1.0 / 3);
    EXPECT_EQ(model.classes.at("memory").overhead_ms, 0);
}

TEST(KeptClasses, KeepTheirOverhead) {
    NamedCostModel model = plain_device();
    model.classes["memory"] = {0.5, 4};
    kept(two_nodes(), model);
    EXPECT_DOUBLE_EQ(model.classes.at("memory").efficiency, 16.0 / 40);
    EXPECT_EQ(model.classes.at("memory").overhead_ms, 4);
}

TEST(KeptClasses, LoseAnOverheadOfHalfOfTheirTime) {
    NamedCostModel model = plain_device();
    model.classes["memory"] = {0.5, 12};
    kept(two_nodes(), model);
    EXPECT_DOUBLE_EQ(model.classes.at("memory").efficiency, 1.0 / 3);
    EXPECT_EQ(model.classes.at("memory").overhead_ms, 0);
}

TEST(KeptClasses, SayNothingOfAnEfficiencyThatHasTheSameSum) {
    NamedCostModel model = plain_device();
    model.classes["memory"] = {1.0 / 3, 0};
    const std::vector<std::string> sentences = kept(two_nodes(), model);
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_TRUE(sentences[0].ends_with("single nodes change by up to 50.00 %")) << sentences[0];
}

TEST(KeptClasses, StayAsTheyWereWhereNodesHaveTheirTimes) {
    CalibrationSketch drawn;
    drawn.moved(8, 20);
    drawn.moved(16, 36);
    NamedCostModel model = plain_device();
    model.classes["memory"] = {0.5, 4};
    EXPECT_EQ(kept(drawn.finish(), model),
              (std::vector<std::string>{"no run determines memory, whose times stay as they were, those of 2 nodes"}));
    EXPECT_EQ(model.classes.at("memory").efficiency, 0.5);
    EXPECT_EQ(model.classes.at("memory").overhead_ms, 4);
}

TEST(KeptClasses, HaveTheTwoEfficienciesOfTheirDeviceStill) {
    // Bound by bytes, all products of this graph: nothing of them says how fast the device multiplies.
    CalibrationSketch drawn;
    const NodeId left = drawn.sketch.input("left", drawn.sketch.tensor("float32", {1, 1000}));
    const NodeId right = drawn.sketch.input("right", drawn.sketch.tensor("float32", {1000, 1000}));
    drawn.call("aten.mm.default", GraphSketch::values({left, right}), drawn.sketch.tensor("float32", {1, 1000}), 10.02);
    NamedCostModel model = plain_device();
    model.flops_efficiency = 0.25;
    model.memory_efficiency = 0.4;
    const std::vector<CalibrationRun> runs(3, drawn.finish());
    EXPECT_EQ(keep_classes(runs, {}, NamedCostModel(model), model),
              (std::vector<std::string>{
                  "no run determines matrix_multiply, whose times stay as they were, those of 1 node"}));
    EXPECT_TRUE(model.classes.empty());
}

TEST(KeptClasses, AreToldWhereTheModelSaysOtherTimesThanEachNodeHad) {
    CalibrationSketch drawn;
    drawn.moved(8, 16);
    drawn.moved(16, 32);
    NamedCostModel model = plain_device();
    const std::vector<std::string> sentences = kept(drawn.finish(), model);
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_TRUE(
        sentences[0].ends_with("of full rates for all. By the efficiency that the graph's cost "
                               "model gives the class they would take 24.000 ms"))
        << sentences[0];
}

TEST(KeptClasses, AreNoneThatRunsDetermine) {
    NamedCostModel model = plain_device();
    EXPECT_TRUE(kept(two_nodes(), model, {"memory"}).empty());
    EXPECT_TRUE(model.classes.empty());
}

TEST(KeptClasses, LeaveOutNodesWithoutATime) {
    CalibrationSketch drawn;
    drawn.moved(8, 16);
    drawn.moved(8, 0);
    drawn.reduced(4000);
    NamedCostModel model = plain_device();
    const std::vector<std::string> sentences = kept(drawn.finish(), model);
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_TRUE(sentences[0].starts_with("no run determines memory: its 1 node had ")) << sentences[0];
    EXPECT_DOUBLE_EQ(model.classes.at("memory").efficiency, 0.5);
}

}  // namespace
}  // namespace overlap::test
