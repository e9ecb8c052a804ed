#include "core/passes/overlaps/directed_order.h"
#include "tests/passes/pass_fixture.h"

namespace overlap::test {
namespace {

/// Modules to hide a collective behind; what they compute reads the graph's input alone.
class DirectedModulesTest : public PassTest {
  protected:
    DirectedModulesTest() { x_ = placeholder("x"); }

    NodeId in(std::string_view module, std::string_view name, std::string_view target, bool backward = false) {
        NodeMetadata metadata;
        metadata.module_fqn = builder_.intern(module);
        if (backward) metadata.autograd_backward = true;
        return call(name, target, {Value::of_node(x_), Value::of_node(x_)}, {8, 8}, metadata);
    }
    void hidden() { wait("waited", all_gather("hidden", x_)); }

    struct Outcome {
        std::string refusal;
        Names orderings;  ///< "a after b"
        std::shared_ptr<const Graph> graph;
    };
    Outcome direct(const std::vector<OverlapDirective>& list, bool insert_overlap_deps = false,
                   ModuleSource source = ModuleSource::module_fqn) {
        const auto graph = std::make_shared<const Graph>(builder_.finish(header_));
        OverlapDirectives directives;
        directives.list = list;
        directives.insert_overlap_deps = insert_overlap_deps;
        const DirectedGraph directed = apply_overlap_directives(graph, ModuleTree(*graph, source), directives, {});
        Outcome outcome{directed.outcomes.front().refusal, {}, directed.result.graph};
        for (const auto& ordering : directed.result.report.orderings)
            outcome.orderings.push_back(ordering.target + " after " + ordering.source);
        return outcome;
    }

    NodeId x_ = no_node;
};

TEST_F(DirectedModulesTest, WithoutComputeItIsPlainOperatorsThatCount) {
    in("norm", "view", "aten.view.default");
    in("norm", "item", "operator.getitem");
    in("norm", "first", "aten.neg.default");
    in("norm", "other", "_c10d_functional.all_reduce.default");
    in("norm", "awaited", "_c10d_functional.wait_tensor.default");
    in("norm", "last", "aten.neg.default");
    in("norm", "view_too", "aten.view.default");
    hidden();
    const Outcome outcome = direct({{.collective = "hidden", .hide_behind = "norm"}});
    EXPECT_EQ(outcome.refusal, "");
    EXPECT_EQ(outcome.orderings, Names({"first after hidden", "waited after last"}));
}

TEST_F(DirectedModulesTest, AModuleOfNothingButViewsHidesNothing) {
    in("norm", "view", "aten.view.default");
    hidden();
    EXPECT_EQ(direct({{.collective = "hidden", .hide_behind = "norm"}}).refusal,
              "hidden cannot run behind norm: everything that computes there has to come before it or behind its wait");
}

TEST_F(DirectedModulesTest, TheNearerOfTwoDirectionsMayBeTheSecond) {
    in("norm", "far", "aten.mm.default");
    for (const char* filler : {"a", "b", "c"}) call(filler, "aten.neg.default", {x_});
    in("norm", "near", "aten.mm.default", true);
    hidden();
    EXPECT_EQ(direct({{.collective = "hidden", .hide_behind = "norm"}}).orderings,
              Names({"near after hidden", "waited after near"}));
}

TEST_F(DirectedModulesTest, NoneIsNearerThanTheDirectionThatTheCollectiveStandsIn) {
    in("norm", "forward", "aten.mm.default");
    in("norm", "first", "aten.mm.default", true);
    hidden();
    in("norm", "last", "aten.mm.default", true);
    EXPECT_EQ(direct({{.collective = "hidden", .hide_behind = "norm"}}).orderings,
              Names({"first after hidden", "waited after last"}));
}

TEST_F(DirectedModulesTest, WhatNothingAwaitsIsOnlyIssuedInTime) {
    in("norm", "mm", "aten.mm.default");
    all_gather("hidden", x_);
    EXPECT_EQ(direct({{.collective = "hidden", .hide_behind = "norm"}}).orderings, Names({"mm after hidden"}));
}

TEST_F(DirectedModulesTest, NamesThatAreNotThereAreRefused) {
    in("norm", "mm", "aten.mm.default");
    hidden();
    EXPECT_EQ(direct({{.collective = "hidden", .hide_behind = "norm"}}, false, ModuleSource::module_stack).refusal,
              "the graph has no module \"norm\"");  // nor any other
    builder_ = {};
    x_ = placeholder("x");
    hidden();
    EXPECT_EQ(direct({{.collective = "hidden", .start_before = "convolution_backward"}}).refusal,
              "the graph has no node \"convolution_backward\"");
    builder_ = {};
    placeholder("x");
    EXPECT_EQ(direct({{.collective = "hidden", .start_before = "x"}}).refusal,
              "the graph has no collective \"hidden\"");
}

TEST_F(DirectedModulesTest, ControlDepsNameEachOfTheirSourcesOnce) {
    call("neg", "aten.neg.default", {x_});
    hidden();
    all_gather("too", x_);
    const Outcome outcome = direct({{.collective = "hidden", .start_before = "neg"},
                                    {.collective = "hidden", .start_before = "neg"},
                                    {.collective = "too", .start_before = "neg"}},
                                   true);
    result_.graph = outcome.graph;
    EXPECT_EQ(inputs("neg"), Names({"hidden", "too", "subgraph_neg", "x"}));
}

}  // namespace
}  // namespace overlap::test
