#include "core/predict/compiled_times.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "core/base/error.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/cost_model.h"
#include "core/cost/with_cost_model.h"
#include "core/io/graph_file.h"
#include "core/predict/block_regions.h"
#include "core/predict/matrix_products.h"
#include "core/predict/optimizer_step.h"
#include "tests/cost/fused_sketch.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/call_with.h"

namespace overlap {
namespace {

const std::string folder = OVERLAP_TEST_DATA "/published_runs/";

std::shared_ptr<const Graph> job() {
    static const auto graph = with_cost_model(read_graph_file(folder + "a_llama3_8b_fsdp8.prebucket.graph.json.gz"),
                                              *built_in_cost_model("h100-sxm"))
                                  .graph;
    return graph;
}

double sum(const std::vector<double>& times_ms) {
    return std::accumulate(times_ms.begin(), times_ms.end(), 0.0);
}

TEST(CompiledTimes, FusingMoreTakesLess) {
    const double traced_ms = sum(analytic_times_ms(*job()));
    const double eager_ms = sum(compiled_times(*job(), {.scope = CompiledScope::eager}).times_ms);
    const double blocks_ms = sum(compiled_times(*job(), {.scope = CompiledScope::blocks}).times_ms);
    const double whole_ms = sum(compiled_times(*job(), {.scope = CompiledScope::whole}).times_ms);
    EXPECT_LT(eager_ms, traced_ms);  // attention without what the mask hides
    EXPECT_LT(blocks_ms, eager_ms);
    EXPECT_LT(whole_ms, blocks_ms);
    EXPECT_GT(whole_ms, 0.5 * traced_ms);  // products stay what they are
}

TEST(CompiledTimes, CollectivesTakeWhatTheirLinkTakes) {
    const std::vector<double> times_ms = compiled_times(*job(), {}).times_ms;
    const NodeId gather = job()->find("all_gather_into_tensor");
    ASSERT_NE(gather, no_node);
    EXPECT_EQ(times_ms[gather], analytic_time_ms(*job(), gather));
}

TEST(CompiledTimes, CausalAttentionComputesHalfOfItsScores) {
    const NodeId attention = job()->find("_scaled_dot_product_flash_attention");
    ASSERT_NE(attention, no_node);
    const std::vector<double> times_ms = compiled_times(*job(), {}).times_ms;
    const double full_ms = node_flops(*job(), attention) / (989e12 * 0.40) * 1e3;
    EXPECT_NEAR(times_ms[attention], full_ms / 2 + 0.002, 0.01 * full_ms);
}

TEST(CompiledTimes, CopiesOutOfABucketAreReadAndWritten) {
    test::GraphSketch sketch;
    const NodeId gathered = sketch.input("gathered", sketch.tensor("float32", {4, 1000}));
    const NodeId first = sketch.input("first", sketch.tensor("float32", {4, 600}));
    const NodeId second = sketch.input("second", sketch.tensor("float32", {4, 400}));
    const Value out = sketch.list(test::GraphSketch::values({first, second}));
    const NodeId copy = test::call_with(sketch.builder(), "copy", "aten.split_with_sizes_copy.out",
                                        {Value::of_node(gathered)}, {{"out", out}});
    const double bytes = 2 * 4000 * 4;
    EXPECT_NEAR(compiled_times(sketch.finish(), {.scope = CompiledScope::eager}).times_ms[copy],
                bytes / (1e9 * 0.5) * 1e3, 1e-6);
}

TEST(CompiledTimes, CopiesToTheHostAndBackTakeWhatTheHostLinkTakes) {
    test::GraphSketch sketch;
    sketch.header().cost->host_link_bytes_per_s = 1e9;
    const TensorMeta kept = sketch.bytes(4'000'000), host = sketch.bytes(4'000'000, {}, "cpu");
    const auto node = [&](std::string_view name, std::string_view target, NodeId source, const TensorMeta& output) {
        return sketch.call(name, target, test::GraphSketch::values({source}), {output});
    };
    const NodeId made = node("made", "aten.relu.default", sketch.input("x", kept), kept);
    const NodeId out = node("out", "ao.offload.default", made, host);
    const NodeId there = node("there", "ao.wait_tensor.default", out, host);
    const NodeId back = node("back", "ao.reload.default", there, kept);
    const NodeId here = node("here", "ao.wait_tensor.default", back, kept);
    const Graph graph = sketch.finish({node("used", "aten.relu.default", here, kept)});
    for (const CompiledScope scope : {CompiledScope::eager, CompiledScope::blocks, CompiledScope::whole}) {
        const CompiledTimes compiled = compiled_times(graph, {.scope = scope});
        for (const std::vector<double>* times_ms : {&compiled.times_ms, &compiled.without_reading_ms}) {
            EXPECT_EQ(times_ms->at(out), 4);
            EXPECT_EQ(times_ms->at(back), 4);
            EXPECT_EQ(times_ms->at(there), 0);
            EXPECT_EQ(times_ms->at(here), 0);
        }
        EXPECT_GT(compiled.times_ms[made], 0);
    }
}

TEST(CompiledTimes, FusedProductsTakeWhatTheirPiecesTake) {
    test::FusedSketch sketch;
    const Graph graph = sketch.finish({sketch.scatter});
    for (const CompiledScope scope : {CompiledScope::eager, CompiledScope::blocks, CompiledScope::whole}) {
        const std::vector<double> times_ms = compiled_times(graph, {.scope = scope}).times_ms;
        EXPECT_NEAR(times_ms[sketch.gather], test::fused_gather_ms, 1e-6);
        EXPECT_EQ(times_ms[sketch.scatter], node_times_ms(graph)[sketch.scatter]);
        EXPECT_EQ(times_ms[sketch.restrided], 0);  // it lies as it is asked to
    }
}

TEST(CompiledTimes, FusedProductsWithoutSizesHaveNoTime) {
    test::FusedSketch sketch;
    const NodeId unknown = sketch.without_value("unknown", "aten.add.Tensor", {Value::of_node(sketch.scatter)});
    const Graph graph = sketch.finish({sketch.fused_gather("fused", unknown, unknown)});
    EXPECT_THROW(compiled_times(graph, {}), InputError);
}

TEST(AccumulatedStep, RunsTheGraphOftenAndTheOptimizerOnce) {
    const OptimizerStep beside{.gradients = 5, .bytes = 200, .time_ms = 10};
    EXPECT_DOUBLE_EQ(accumulated_step_ms(100, 1, beside), 110);
    EXPECT_DOUBLE_EQ(accumulated_step_ms(100, 4, beside), 400 + 3 * 3 + 10);
    EXPECT_DOUBLE_EQ(accumulated_step_ms(100, 4, OptimizerStep()), 400);
}

TEST(CompiledTimes, NeedACostModel) {
    const auto graph = read_graph_file(folder + "fusion/llama_ffn_forward.graph.json.gz");
    EXPECT_THROW(compiled_times(*graph, {}), InputError);
}

TEST(BlockRegions, EachBlockIsOneForEachDirection) {
    const std::vector<std::int32_t> regions = block_regions(*job());
    std::int32_t last = -1;
    for (const std::int32_t region : regions) last = std::max(last, region);
    EXPECT_EQ(last + 1, 2 * 32);
    EXPECT_EQ(regions[job()->find("embedding")], -1);
}

TEST(MatrixProducts, AllOfTheGroupsRowsAreOneProduct) {
    const MatrixProduct product{1, 16384, 4096, 512};
    EXPECT_EQ(product.flops(), 2.0 * 16384 * 4096 * 512);
}

}  // namespace
}  // namespace overlap
