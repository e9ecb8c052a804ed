#include "tests/passes/memory/memory_fixture.h"

namespace overlap {
namespace {

class ApplyCpuOffloadTest : public test::MemoryPassTest {
  protected:
    static Json options(int lookahead, int defer) {
        return {{"prefetch_lookahead", lookahead}, {"defer_n_layers", defer}};
    }

    /// A product of layer 0 that is to be offloaded, used in layers 0 and 1, and in layer 0's backward part.
    NodeId three_layers() {
        const NodeId x = placeholder("x", {64, 64});
        const NodeId kept = node("kept", "aten.mm.default", {x, x}, in("layers.0", "MUST_CPU_OFFLOAD"));
        const NodeId near = node("near", "aten.relu.default", {kept}, in("layers.0"));
        const NodeId far = node("far", "aten.mm.default", {near, near}, in("layers.1"));
        const NodeId later = node("later", "aten.mm.default", {far, far}, in("layers.2"));
        const NodeId g2 = node("g2", "aten.mm.default", {later, later}, backward_in("layers.2"));
        const NodeId g1 = node("g1", "aten.mm.default", {g2, g2}, backward_in("layers.1"));
        const NodeId g0 = node("g0", "aten.mm.default", {g1, kept}, backward_in("layers.0"));
        output({g0});
        return kept;
    }
};

TEST_F(ApplyCpuOffloadTest, CopiesGoOutBehindTheTensorAndComeBackBeforeTheirUse) {
    three_layers();
    run(offload_pass, options(0, 1));
    EXPECT_EQ(names(), Names({"x", "kept", "offload_default", "near", "far", "wait_tensor_default", "later", "g2", "g1",
                              "reload_default", "wait_tensor_default_1", "g0", "output"}));
    EXPECT_EQ(inputs("wait_tensor_default"), Names({"offload_default", "kept", "near"}));
    EXPECT_EQ(inputs("wait_tensor_default_1"), Names({"reload_default", "wait_tensor_default"}));
    EXPECT_EQ(inputs("g0"), Names({"g1", "wait_tensor_default_1"}));
    EXPECT_EQ(tag("kept"), "MUST_CPU_OFFLOAD");
    EXPECT_EQ(tag("offload_default"), "");
    EXPECT_EQ(metadata("reload_default").autograd_backward, true);
    EXPECT_EQ(metadata("offload_default").autograd_backward, std::nullopt);
    EXPECT_EQ(result_.graph->text(metadata("reload_default").module_fqn), "layers.0");
}

TEST_F(ApplyCpuOffloadTest, TheCopyHasAStorageOfItsOwnAndWhatComesBackThatOfTheTensor) {
    three_layers();
    run(offload_pass, options(0, 1));
    const auto tensor_of = [&](std::string_view name) {
        return result_.graph->outputs(result_.graph->find(name)).front();
    };
    EXPECT_EQ(result_.graph->text(tensor_of("offload_default").device), "cpu");
    EXPECT_NE(tensor_of("offload_default").storage, tensor_of("kept").storage);
    EXPECT_EQ(tensor_of("wait_tensor_default").storage, tensor_of("offload_default").storage);
    EXPECT_EQ(tensor_of("wait_tensor_default_1").storage, tensor_of("kept").storage);
    EXPECT_EQ(tensor_of("offload_default").storage_bytes, 64 * 64 * 2);
}

TEST_F(ApplyCpuOffloadTest, ReloadsStartLayersEarlier) {
    three_layers();
    run(offload_pass, options(1, 1));
    const Names order = names();
    EXPECT_EQ(Names(order.begin() + 7, order.end()),
              Names({"g2", "reload_default", "g1", "wait_tensor_default_1", "g0", "output"}));
}

TEST_F(ApplyCpuOffloadTest, BeyondTheLayersAReloadGoesToTheBeginningOfTheBackwardPass) {
    three_layers();
    run(offload_pass, options(9, 1));
    const Names order = names();
    EXPECT_EQ(Names(order.begin() + 7, order.begin() + 9), Names({"reload_default", "g2"}));
}

TEST_F(ApplyCpuOffloadTest, WaitsAreDeferredToTheEndAtMost) {
    three_layers();
    run(offload_pass, options(0, 9));
    EXPECT_EQ(names()[6], "wait_tensor_default");
    EXPECT_EQ(names()[5], "later");
}

TEST_F(ApplyCpuOffloadTest, ADeferralOfNoLayerIsRefusedWhereTheTensorIsUsedAgain) {
    three_layers();
    EXPECT_NE(refusal(offload_pass, options(1, 0)).find("would come before \"near\""), std::string::npos);
}

TEST_F(ApplyCpuOffloadTest, ADeferralOfNoLayerIsFineWhereItIsNot) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId kept = node("kept", "aten.mm.default", {x, x}, in("layers.0", "MUST_CPU_OFFLOAD"));
    output({node("g0", "aten.mm.default", {kept, x}, backward_in("layers.0"))});
    run(offload_pass, options(1, 0));
    EXPECT_EQ(names(), Names({"x", "kept", "offload_default", "wait_tensor_default", "reload_default",
                              "wait_tensor_default_1", "g0", "output"}));
    EXPECT_EQ(inputs("wait_tensor_default"), Names({"offload_default", "kept"}));
}

TEST_F(ApplyCpuOffloadTest, ViewsAreMadeAgainOfWhatCameBack) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId kept = node("kept", "aten.mm.default", {x, x}, in("layers.0", "MUST_CPU_OFFLOAD"));
    const NodeId flat = node("flat", "aten.view.default", {kept}, in("layers.0", "PREFER_RECOMPUTE"));
    const NodeId turned = node("turned", "aten.t.default", {flat}, in("layers.1"));
    const NodeId used = node("used", "aten.relu.default", {turned}, in("layers.1"));
    const NodeId g1 = node("g1", "aten.mm.default", {used, turned}, backward_in("layers.1"));
    const NodeId g0 = node("g0", "aten.mm.default", {g1, flat}, backward_in("layers.0"));
    output({g0});
    run(offload_pass, options(0, 1));
    EXPECT_EQ(names(),
              Names({"x", "kept", "offload_default", "flat", "turned", "used", "wait_tensor_default", "reload_default",
                     "wait_tensor_default_1", "view_default", "t_default", "g1", "g0", "output"}));
    EXPECT_EQ(inputs("view_default"), Names({"wait_tensor_default_1"}));
    EXPECT_EQ(inputs("t_default"), Names({"view_default"}));
    EXPECT_EQ(inputs("g1"), Names({"used", "t_default"}));
    EXPECT_EQ(inputs("g0"), Names({"g1", "view_default"}));
    EXPECT_EQ(tag("view_default"), "");
    // The last use is the one through the views.
    EXPECT_EQ(inputs("wait_tensor_default"), Names({"offload_default", "kept", "used"}));
}

TEST_F(ApplyCpuOffloadTest, OfALastUseThatReturnsSeveralValuesAPartIsNamed) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId kept = node("kept", "aten.mm.default", {x, x}, in("layers.0", "MUST_CPU_OFFLOAD"));
    const NodeId both = pair("both", "aten.sort.default", {kept}, in("layers.0"));
    const NodeId part = getitem("part", both, 0, in("layers.0"));
    output({node("g0", "aten.mm.default", {kept, part}, backward_in("layers.0"))});
    run(offload_pass, options(1, 1));
    EXPECT_EQ(inputs("wait_tensor_default"), Names({"offload_default", "kept", "part"}));
}

TEST_F(ApplyCpuOffloadTest, APartThatOnlyTheBackwardPassTakesIsRefusedAsTorchtitanDoes) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId kept = node("kept", "aten.mm.default", {x, x}, in("layers.0", "MUST_CPU_OFFLOAD"));
    const NodeId both = pair("both", "aten.sort.default", {kept}, in("layers.0"));
    const NodeId part = getitem("part", both, 0, backward_in("layers.0"));
    output({node("g0", "aten.mm.default", {kept, part}, backward_in("layers.0"))});
    EXPECT_NE(refusal(offload_pass, options(1, 1)).find("although it is in the backward pass"), std::string::npos);
}

TEST_F(ApplyCpuOffloadTest, TaggedViewsAreRefused) {
    const NodeId x = placeholder("x", {64, 64});
    const NodeId view = node("view", "aten.view.default", {x}, in("layers.0", "MUST_CPU_OFFLOAD"));
    output({node("g0", "aten.mm.default", {view, x}, backward_in("layers.0"))});
    EXPECT_NE(refusal(offload_pass).find("is a view of other memory"), std::string::npos);
}

TEST_F(ApplyCpuOffloadTest, WithoutAUseInTheBackwardPassNothingHappens) {
    const NodeId x = placeholder("x", {64, 64});
    output({node("kept", "aten.mm.default", {x, x}, in("layers.0", "MUST_CPU_OFFLOAD"))});
    run(offload_pass);
    EXPECT_TRUE(is_input());
}

TEST_F(ApplyCpuOffloadTest, SymbolicSizesStaySymbolsInArguments) {
    const NodeId x = placeholder("x", {64, 64});
    NodeMetadata metadata = in("layers.0");
    metadata.extra_json = builder_.intern(
        R"({"titan_meta":{"recompute":"CheckpointPolicy.MUST_CPU_OFFLOAD"},"symbolic_shapes":[[4,"u0",8]]})");
    const NodeId kept = node("kept", "aten.mm.default", {x, x}, metadata, {4, 16, 8});
    output({node("g0", "aten.mm.default", {kept, x}, backward_in("layers.0"))});
    run(offload_pass, options(1, 1));
    const NodeId reload = result_.graph->find("reload_default");
    const auto sizes = result_.graph->children(*result_.graph->argument(reload, 2));
    const auto strides = result_.graph->children(*result_.graph->argument(reload, 3));
    ASSERT_TRUE(sizes[1].is(ValueKind::symbol));
    EXPECT_EQ(result_.graph->text(result_.graph->children(sizes[1])[0].string), "u0");
    ASSERT_TRUE(strides[0].is(ValueKind::symbol));
    EXPECT_EQ(result_.graph->text(result_.graph->children(strides[0])[0].string), "8*u0");
    EXPECT_EQ(result_.graph->children(strides[0])[1].integer, 128);
    EXPECT_EQ(strides[1].integer, 8);
}

}  // namespace
}  // namespace overlap
