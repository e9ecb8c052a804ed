// What is told of an exposed collective, and figures beside the step.

#include "core/pipeline/why_exposed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/pipeline/beside_step.h"
#include "core/pipeline/halved_attention.h"
#include "tests/advice/layers_sketch.h"

namespace overlap::test {
namespace {

/// Three layers of which the last one's gather is issued late, and exposed.
std::shared_ptr<const Graph> three_layers() {
    LayersSketch sketch;
    const NodeId x = sketch.parameter("x");
    const NodeId first = sketch.layer("layers.0", "0", x, 0.1, 3);
    const NodeId second = sketch.layer("layers.1", "1", first, 0.1, 3);
    return sketch.drawn({sketch.layer("layers.2", "2", second, 4, 5)});
}

std::size_t index_of(const Evaluation& evaluation, std::string_view name) {
    const auto& all = evaluation.simulation.collectives;
    return static_cast<std::size_t>(
        std::ranges::find(all, name, [&](const CollectiveTiming& of) { return evaluation.graph->name(of.start); }) -
        all.begin());
}

std::shared_ptr<const Evaluation> with_overlaps(const std::vector<OverlapDirective>& overlaps) {
    Plan plan;
    plan.overlaps.list = overlaps;
    plan.overlaps.keep_group_order = false;
    auto evaluation = evaluate(three_layers(), plan);
    for (const DirectiveOutcome& outcome : evaluation->overlaps.directives) EXPECT_TRUE(outcome.holds());
    return evaluation;
}

std::string why(const std::vector<OverlapDirective>& overlaps, std::string_view name) {
    const auto evaluation = with_overlaps(overlaps);
    return why_exposed(*evaluation, index_of(*evaluation, name));
}

TEST(WhyExposed, AsksForWhatTheOtherOverlapsAllow) {
    const std::string move = "; issued before mm_0, it would have enough compute to hide behind";
    const std::string alone = why({}, "g_2");
    EXPECT_TRUE(alone.ends_with(move)) << alone;
    // Its own overlap would give way to what helps.
    EXPECT_EQ(why({{.collective = "g_2", .start_after = "mm_1"}}, "g_2"), alone);
    EXPECT_EQ(why({{.collective = "g_1", .start_after = "mm_0", .start_before = "g_2"}}, "g_2"),
              alone + ", but an overlap by hand keeps it behind mm_0");
}

TEST(WhyExposed, CountsWhatCouldHideOnlyWhereItMay) {
    const auto alone = with_overlaps({});
    const std::size_t index = index_of(*alone, "g_2");
    EXPECT_EQ(could_hide_ms(*alone, index), alone->simulation.collectives[index].hidden_if_earlier_ms);
    EXPECT_GT(could_hide_ms(*alone, index), 0);
    const auto kept = with_overlaps({{.collective = "g_1", .start_after = "mm_0", .start_before = "g_2"}});
    EXPECT_GT(kept->simulation.collectives[index_of(*kept, "g_2")].hidden_if_earlier_ms, 0);
    EXPECT_EQ(could_hide_ms(*kept, index_of(*kept, "g_2")), 0);
}

TEST(BesideStep, IsOfCompiledJobsThatReturnGradients) {
    const auto graph_of = [](bool has_gradient, bool has_model) {
        GraphSketch sketch;
        if (!has_model) sketch.header().cost.reset();
        const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
        NodeMetadata metadata;
        metadata.autograd_backward = true;
        metadata.estimate_ms = 1;
        const std::vector<TensorMeta> output{sketch.tensor("float32", {10})};
        const std::vector<Value> arguments = GraphSketch::values({x});
        const NodeId gradient = sketch.builder().call("gradient", "aten.mul.Tensor", arguments, output, metadata);
        return std::make_shared<const Graph>(has_gradient ? sketch.finish({gradient}) : sketch.finish({x}));
    };
    const auto compiled = modelled_source(false, Compilation{.scope = CompiledScope::blocks});
    const auto graph = graph_of(true, true);
    ASSERT_TRUE(beside_step(*graph, compiled.get()));
    EXPECT_EQ(beside_step(*graph, compiled.get())->gradients, 10);
    EXPECT_FALSE(beside_step(*graph, nullptr));
    EXPECT_FALSE(beside_step(*graph, modelled_source(true, {}).get()));
    EXPECT_FALSE(beside_step(*graph_of(true, false), compiled.get()));
    EXPECT_FALSE(beside_step(*graph_of(false, true), compiled.get()));
    EXPECT_TRUE(beside_step(*evaluate_baseline(graph, {}, compiled)));
    Evaluation changed = *evaluate_baseline(graph, {}, compiled);
    changed.times_known = false;
    EXPECT_FALSE(beside_step(changed));
    changed.times_known = true;
    changed.refused = true;
    EXPECT_FALSE(beside_step(changed));
}

/// Attention of halves of a batch whose tokens are one sequence, and what is not that.
TEST(HalvedAttention, TakesHalfOfTheWholeAndNotAQuarter) {
    GraphSketch sketch;
    const NodeId key = sketch.input("key", sketch.tensor("bfloat16", {1, 8, 64, 16}));
    const NodeId two = sketch.input("two", sketch.tensor("bfloat16", {2, 8, 64, 16}));
    const auto node = [&](const std::string& name, const std::string& target, NodeId of, const std::string& fields,
                          std::optional<double> time_ms = {}) {
        NodeMetadata metadata;
        metadata.extra_json = sketch.builder().intern(fields);
        metadata.estimate_ms = time_ms;
        const std::vector<Value> arguments = GraphSketch::values({of, of});
        const std::vector<TensorMeta> output{sketch.tensor("bfloat16", {of == key ? 1 : 2, 8, 64, 16})};
        sketch.builder().call(name, target, arguments, output, metadata);
    };
    const std::string
        attention = "higher_order.flex_attention",
        half =
            R"({"titan_meta":{"chunked_region_fqn":"layers.0","chunked_region_producer":"graph","chunked_region_role":"body","chunk_id":1}})";
    node("half", attention, key, half);
    node("whole", attention, key, "");
    node("timed", attention, key, half, 3);
    node("of_two", attention, two, half);
    node("product", "aten.mm.default", key, half);
    const Graph graph = sketch.finish();
    std::vector<double> times_ms(graph.node_count(), 3);
    price_halved_attention(graph, times_ms);
    for (NodeId each = 0; each < graph.node_count(); ++each)
        EXPECT_EQ(times_ms[each], graph.name(each) == "half" ? 6 : 3) << graph.name(each);
}

}  // namespace
}  // namespace overlap::test
