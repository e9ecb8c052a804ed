// What a job compiles as a whole: nothing, each numbered module and direction, or both directions.

#include "core/predict/block_regions.h"

#include <gtest/gtest.h>

#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

class RegionsOfAJob : public ::testing::Test {
  protected:
    void node(std::string_view module, bool backward = false) {
        NodeMetadata metadata;
        metadata.module_fqn = sketch.builder().intern(module);
        metadata.autograd_backward = backward;
        const TensorMeta output = sketch.tensor("float32", {4});
        const std::string name = "n" + std::to_string(sketch.builder().node_count());
        sketch.builder().call(name, "aten.mul.Tensor", GraphSketch::values({x}), {&output, 1}, metadata);
    }
    /// Of all nodes but the input and the output.
    std::vector<std::int32_t> regions(CompiledScope scope = CompiledScope::blocks) {
        std::vector<std::int32_t> found = compiled_regions(sketch.finish(), scope);
        return {found.begin() + 1, found.end() - 1};
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
};

TEST_F(RegionsOfAJob, AreOutermostModulesWithANumber) {
    node("embedding");
    node("layers.0.attention");
    node("layers.1");
    node("layers.0.experts.3.w1");
    node("layers.1.feed_forward");
    node("layers");
    node("head.2nd");
    node("layers.12");
    EXPECT_EQ(regions(), (std::vector<std::int32_t>{-1, 0, 1, 0, 1, -1, -1, 2}));
}

TEST_F(RegionsOfAJob, AreApartInBothDirections) {
    node("layers.0");
    node("layers.0", true);
    node("head", true);
    node("layers.0", true);
    EXPECT_EQ(regions(), (std::vector<std::int32_t>{0, 1, -1, 1}));
}

TEST_F(RegionsOfAJob, AreNoneWithoutModules) {
    node("");
    node("");
    EXPECT_EQ(regions(), (std::vector<std::int32_t>{-1, -1}));
}

TEST_F(RegionsOfAJob, AreBothDirectionsOfAWholeGraph) {
    node("embedding");
    node("layers.0", true);
    EXPECT_EQ(regions(CompiledScope::whole), (std::vector<std::int32_t>{0, 1}));
}

TEST_F(RegionsOfAJob, AreNoneWhereNothingIsCompiled) {
    node("layers.0");
    EXPECT_EQ(regions(CompiledScope::eager), (std::vector<std::int32_t>{-1}));
}

}  // namespace
}  // namespace overlap::test
