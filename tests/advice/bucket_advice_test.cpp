// Which buckets are advised, asked of small models whose advice can be counted out by hand.

#include <gtest/gtest.h>

#include "core/plan/plan_edits.h"
#include "tests/advice/layers_sketch.h"

namespace overlap {
namespace {

using test::advice_for_node;
using test::LayersSketch;
using Names = std::vector<std::string>;

/// `layers.0` to `layers.4` one after the other, of which each gather is exposed whole.
std::shared_ptr<const Graph> five_layers() {
    LayersSketch sketch;
    NodeId value = sketch.parameter("x");
    for (int layer = 0; layer < 5; ++layer)
        value = sketch.layer("layers." + std::to_string(layer), std::to_string(layer), value, 1, 2);
    return sketch.drawn({value});
}

std::shared_ptr<const Evaluation> with_buckets(const std::shared_ptr<const Graph>& graph, Buckets buckets) {
    Plan plan = make_plan(*graph, "Plan A");
    plan.buckets = std::move(buckets);
    return evaluate(graph, plan);
}

/// What is advised for buckets, with the buckets that it makes: `words: layers.0, layers.1 + layers.2`.
Names bucket_changes(const std::shared_ptr<const Evaluation>& evaluation, std::string_view collective) {
    Names found;
    for (const Advice& advice : advice_for_node(evaluation, collective)) {
        if (!advice.plan.overlaps.list.empty()) continue;
        std::string buckets;
        for (const BucketEntry& entry : advice.plan.buckets)
            buckets.append(&entry == &advice.plan.buckets.front() ? "" : ", ").append(display_name(entry));
        found.push_back(advice.text + ": " + buckets);
    }
    return found;
}

TEST(BucketAdvice, PlacesABlockThatIsInNone) {
    const auto evaluation = with_buckets(five_layers(), {{{"layers.1"}}, {{"layers.3"}}});
    EXPECT_EQ(bucket_changes(evaluation, "g_0"),
              Names({"a bucket for layers.0: layers.1, layers.3, layers.0",
                     "layers.0 into the bucket of layers.1: layers.1 + layers.0, layers.3"}));
    EXPECT_EQ(bucket_changes(evaluation, "g_2"),
              Names({"a bucket for layers.2: layers.1, layers.3, layers.2",
                     "layers.2 into the bucket of layers.1: layers.1 + layers.2, layers.3",
                     "layers.2 into the bucket of layers.3: layers.1, layers.3 + layers.2"}));
}

TEST(BucketAdvice, OffersABucketOnceThatHasBothNeighbours) {
    const auto evaluation = with_buckets(five_layers(), {{{"layers.1", "layers.3"}}});
    EXPECT_EQ(bucket_changes(evaluation, "g_2"),
              Names({"a bucket for layers.2: layers.1 + layers.3, layers.2",
                     "layers.2 into the bucket of layers.1 + layers.3: layers.1 + layers.3 + layers.2"}));
}

TEST(BucketAdvice, MergesABucketWithItsNeighboursAndSplitsIt) {
    const auto evaluation = with_buckets(five_layers(), {{{"layers.0"}}, {{"layers.1", "layers.2"}}, {{"layers.3"}}});
    EXPECT_EQ(bucket_changes(evaluation, "all_gather_into_tensor_out"),
              Names({"merge layers.0 and layers.1 + layers.2: layers.0 + layers.1 + layers.2, layers.3"}));
    EXPECT_EQ(bucket_changes(evaluation, "all_gather_into_tensor_out_1"),
              Names({"merge layers.0 and layers.1 + layers.2: layers.0 + layers.1 + layers.2, layers.3",
                     "merge layers.1 + layers.2 and layers.3: layers.0, layers.1 + layers.2 + layers.3",
                     "split layers.1 + layers.2: layers.0, layers.1, layers.2, layers.3"}));
    EXPECT_EQ(bucket_changes(evaluation, "all_gather_into_tensor_out_2"),
              Names({"merge layers.1 + layers.2 and layers.3: layers.0, layers.1 + layers.2 + layers.3"}));
}

TEST(BucketAdvice, MergesNothingWithAnEntryThatHasNoModule) {
    const auto evaluation = with_buckets(five_layers(), {{}, {{"layers.1", "layers.2"}}, {}});
    EXPECT_EQ(bucket_changes(evaluation, "all_gather_into_tensor_out"),
              Names({"split layers.1 + layers.2: , layers.1, layers.2, "}));
}

/// Only a number at the end says which blocks are neighbours.
TEST(BucketAdvice, KnowsNeighboursByTheirWholeNumber) {
    LayersSketch sketch;
    NodeId value = sketch.parameter("x");
    for (const char* module : {"2nd", "3", "4", "layers.1", "layers.99999999999"}) {
        std::string name(module);
        std::ranges::replace(name, '.', '_');
        value = sketch.layer(module, name, value, 1, 2);
    }
    const auto evaluation = with_buckets(sketch.drawn({value}), {{{"3"}}, {{"layers.1"}}});
    EXPECT_EQ(bucket_changes(evaluation, "g_2nd"), Names({"a bucket for 2nd: 3, layers.1, 2nd"}));
    EXPECT_EQ(bucket_changes(evaluation, "g_layers_99999999999"),
              Names({"a bucket for layers.99999999999: 3, layers.1, layers.99999999999"}));
    EXPECT_EQ(bucket_changes(evaluation, "g_4"),
              Names({"a bucket for 4: 3, layers.1, 4", "4 into the bucket of 3: 3 + 4, layers.1"}));
}

/// What another step has merged may be of several blocks, of which each is named once.
TEST(BucketAdvice, PlacesTheBlocksOfWhatIsMergedAlready) {
    LayersSketch sketch;
    NodeId value = sketch.parameter("x");
    value = sketch.layer("layers.0.attention", "0", value, 1, 2);
    value = sketch.layer("layers.0.mlp", "0_1", value, 1, 2);
    value = sketch.layer("layers.1.attention", "1", value, 1, 2);
    value = sketch.layer("layers.2", "2", value, 1, 2);
    const auto graph = sketch.drawn({value});
    Plan plan = make_plan(*graph, "Plan A");
    plan.buckets = {{{"layers.2"}}};
    plan.pipeline.push_back({"bucket_all_gather"});
    plan.pipeline.push_back({"stable_topological_sort"});
    EXPECT_EQ(bucket_changes(evaluate(graph, plan), "all_gather_into_tensor_out_1"),
              Names({"a bucket for layers.0 + layers.1 + layers.2: layers.0 + layers.1 + layers.2"}));
}

TEST(BucketAdvice, NoneForWhatCannotBeBucketed) {
    LayersSketch sketch;
    const NodeId value = sketch.layer("layers.0", "0", sketch.parameter("x"), 1, 2);
    // It needs more inputs than a parameter.
    const NodeId gathered = sketch.gather_in("layers.1", "g_1", value, 1);
    const NodeId result = sketch.compute_in("layers.1", "mm_1", {sketch.wait_in("layers.1", "w_1", gathered)}, 2);
    const auto evaluation = with_buckets(sketch.drawn({result}), {{{"layers.0"}}});
    EXPECT_GT(evaluation->simulation.collectives.at(1).exposed_ms, 0);
    EXPECT_EQ(bucket_changes(evaluation, "g_1"), Names());
}

TEST(BucketAdvice, NoneWithoutAStepThatTakesBuckets) {
    const auto graph = five_layers();
    Plan plan = make_plan(*graph, "Plan A");
    ASSERT_EQ(bucket_changes(evaluate(graph, plan), "g_1"), Names({"a bucket for layers.1: layers.1"}));
    plan.pipeline.front().enabled = false;
    EXPECT_EQ(bucket_changes(evaluate(graph, plan), "g_1"), Names());
}

}  // namespace
}  // namespace overlap
