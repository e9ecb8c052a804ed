#include "core/passes/scheduling/regions/dense_regions.h"
#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

/// Two layers forward; the gather of layer 1 is launched late. One layer's scatter.
class DenseRegionsTest : public test::PassTest {
  protected:
    static constexpr std::string_view pass = "schedule_fsdp_comms_to_dense_regions_pass";

    NodeMetadata in(std::string_view module, bool backward = false) {
        NodeMetadata metadata;
        metadata.module_fqn = builder_.intern(module);
        if (backward) metadata.autograd_backward = true;
        return metadata;
    }
    NodeMetadata bucket(const std::string& module, std::string_view direction) {
        NodeMetadata metadata;
        const Json mark = {{"fsdp_bucket", {{"plan_fqns", {module}}, {"direction", direction}}}};
        metadata.extra_json = builder_.intern(mark.dump());
        return metadata;
    }
    NodeId mm(std::string_view name, NodeId left, NodeId right, const NodeMetadata& metadata) {
        return call(name, "aten.mm.default", {Value::of_node(left), Value::of_node(right)}, {8}, metadata);
    }
    NodeId gather(std::string_view name, NodeId input, const std::string& module) {
        return call(name, "_c10d_functional.all_gather_into_tensor.default",
                    {Value::of_node(input), Value::of_integer(8), builder_.string("0")}, {8}, bucket(module, "fwd"));
    }
    void two_layers() {
        const NodeId x = placeholder("x"), w0 = placeholder("w0"), w1 = placeholder("w1");
        const NodeId full0 = wait("full0", gather("gather0", w0, "layers.0"));
        const NodeId y0 = mm("y0", x, full0, in("layers.0.attention"));
        const NodeId z0 = mm("z0", y0, full0, in("layers.0.feed_forward"));
        const NodeId full1 = wait("full1", gather("gather1", w1, "layers.1"));
        output({mm("y1", z0, full1, in("layers.1.attention"))});
    }
    static Json layers(int count, bool strict = false) {
        return {{"moe_layer_ids", Json::array()},
                {"n_layers", count},
                {"transformer_bucket_counts_by_layer", nullptr},
                {"strict", strict}};
    }
};

TEST_F(DenseRegionsTest, AForwardGatherGoesToTheLayerBefore) {
    two_layers();
    run(pass, layers(2));
    EXPECT_EQ(names(), Names({"x", "w0", "w1", "gather0", "full0", "gather1", "y0", "z0", "full1", "y1", "output"}));
    ASSERT_EQ(result_.report.orderings.size(), 1u);
    EXPECT_EQ(result_.report.orderings.front().target, "y0");
    EXPECT_EQ(result_.report.orderings.front().source, "gather1");
}

TEST_F(DenseRegionsTest, OfLayersWithExpertsTheAttentionAloneCounts) {
    two_layers();
    Json options = layers(2);
    options["moe_layer_ids"] = {0};
    run(pass, options);
    EXPECT_EQ(names()[5], "gather1");
    const DenseRegions regions(*graph_, 2, {0});
    EXPECT_EQ(regions.layers[0].forward, std::vector<NodeId>({graph_->find("y0")}));
    EXPECT_EQ(regions.layers[1].forward, std::vector<NodeId>({graph_->find("y1")}));
}

TEST_F(DenseRegionsTest, AWaitedScatterIsSunkWithWhatUnpacksIt) {
    const NodeId x = placeholder("x");
    const NodeId scattered =
        call("scatter", "_c10d_functional.reduce_scatter_tensor.default",
             {Value::of_node(x), builder_.string("avg"), Value::of_integer(8), builder_.string("0")}, {8},
             bucket("layers.0", "bwd"));
    const NodeId gradient = call("gradient", "aten.view.default", {wait("waited", scattered)});
    output({gradient, mm("later", x, x, in("layers.0"))});
    run(pass, layers(1));
    EXPECT_EQ(names(), Names({"x", "scatter", "later", "waited", "gradient", "output"}));
    EXPECT_EQ(problem_kinds(), Names({"waits_at_end"}));
}

TEST_F(DenseRegionsTest, AScatterThatIsReadStaysAndStrictRefuses) {
    const auto build = [&] {
        const NodeId x = placeholder("x");
        const NodeId scattered =
            call("scatter", "_c10d_functional.reduce_scatter_tensor.default",
                 {Value::of_node(x), builder_.string("avg"), Value::of_integer(8), builder_.string("0")}, {8},
                 bucket("layers.0", "bwd"));
        output({call("scaled", "aten.mul.Tensor", {wait("waited", scattered)})});
    };
    build();
    run(pass, layers(1));
    EXPECT_EQ(names(), Names({"x", "scatter", "waited", "scaled", "output"}));
    EXPECT_EQ(problem_kinds(), Names({"not_scheduled"}));
    builder_ = GraphBuilder();
    build();
    EXPECT_NE(refusal(pass, layers(1, true)).find("\"waited\" cannot wait until the end"), std::string::npos);
}

TEST_F(DenseRegionsTest, CountsOfBucketsAreCheckedWhereTheyAreGiven) {
    two_layers();
    Json options = layers(2);
    options["transformer_bucket_counts_by_layer"] = {{"0", 1}};
    const std::string reason = refusal(pass, options);
    EXPECT_NE(reason.find("no count is expected for layer 1"), std::string::npos);
    EXPECT_NE(reason.find("layer 0 has 1 forward gathers, 0 backward gathers"), std::string::npos);
}

TEST_F(DenseRegionsTest, WithoutTheOptionTheMarkedBucketsAreCounted) {
    two_layers();
    Json options = layers(2);
    options.erase("transformer_bucket_counts_by_layer");
    EXPECT_NE(refusal(pass, options).find("where 1 each are expected"), std::string::npos);
}

TEST_F(DenseRegionsTest, BucketsOfLayersThatDoNotExistAreRefused) {
    two_layers();
    EXPECT_NE(refusal(pass, layers(1)).find("belongs to layer 1, but n_layers is 1"), std::string::npos);
}

TEST_F(DenseRegionsTest, WithoutCommunicationTheGraphStays) {
    const NodeId x = placeholder("x");
    output({mm("y", x, x, in("layers.0"))});
    run(pass, layers(1, true));
    EXPECT_TRUE(is_input());
}

TEST_F(DenseRegionsTest, UnmarkedCollectivesBelongToTheirNearestUse) {
    const NodeId x = placeholder("x"), w = placeholder("w");
    const NodeId full = wait("full", all_gather("gather", w));
    const NodeId cast = call("cast", "aten._to_copy.default", {full});
    output({mm("y", x, cast, in("layers.3.attention"))});
    run(pass, layers(4));
    const FsdpCollectives found(*graph_, 4, pass);
    ASSERT_EQ(found.list.size(), 1u);
    EXPECT_EQ(found.list.front().modules, Names({"layers.3.attention"}));
    EXPECT_EQ(found.list.front().layer, 3);
    EXPECT_FALSE(found.list.front().backward);
}

TEST_F(DenseRegionsTest, ALaunchMovesBehindWhatPreparesIt) {
    const NodeId x = placeholder("x"), w0 = placeholder("w0"), w1 = placeholder("w1");
    const NodeId full0 = wait("full0", gather("gather0", w0, "layers.0"));
    const NodeId y0 = mm("y0", x, full0, in("layers.0.attention"));
    const NodeId part = call("part", "aten.slice.Tensor", {call("shorter", "aten.slice.Tensor", {w1})});
    const NodeId full1 = wait("full1", gather("gather1", part, "layers.1"));
    output({mm("y1", y0, full1, in("layers.1.attention"))});
    run(pass, layers(2));
    EXPECT_EQ(names(), Names({"x", "w0", "w1", "gather0", "full0", "shorter", "part", "gather1", "y0", "full1", "y1",
                              "output"}));
}

TEST_F(DenseRegionsTest, WhereTheLastLayerHasNoDenseComputeIsToldOnce) {
    const NodeId x = placeholder("x"), w = placeholder("w");
    output({mm("y", x, wait("full", gather("gather", w, "norm")), in("norm"))});
    run(pass, layers(1));
    ASSERT_EQ(problem_kinds(), Names({"not_scheduled"}));
    EXPECT_EQ(result_.report.problems.front().message,
              "forward gather of norm and lm_head to the last layer: no dense compute is there");
}

TEST(LayerOfPath, TakesWholeNumbers) {
    EXPECT_EQ(layer_of_path("layers.12.attention"), 12);
    EXPECT_EQ(layer_of_path("layers.7"), 7);
    for (const char* path : {"layers", "layers.", "layers.x", "layers.-1", "layers.1a", "blocks.1", "layersx.1", ""}) {
        EXPECT_EQ(layer_of_path(path), std::nullopt) << path;
    }
    EXPECT_TRUE(is_top_level_path("lm_head"));
    EXPECT_TRUE(is_top_level_path("norm.weight"));
    EXPECT_FALSE(is_top_level_path("normal"));
}

}  // namespace
}  // namespace overlap
