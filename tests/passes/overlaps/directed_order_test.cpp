#include "core/passes/overlaps/directed_order.h"

#include "core/graph/editing/graph_editor.h"
#include "tests/passes/pass_fixture.h"

namespace overlap::test {
namespace {

/// Three layers that each gather a weight right before they compute with it, and a gradient that is reduced at the end.
///
///     ag0 w0 mm0 | ag1 w1 mm1 | ag2 w2 mm2 | rs wrs grad
class DirectedOrderTest : public PassTest {
  protected:
    void SetUp() override {
        NodeId value = placeholder("x");
        std::vector<NodeId> weights;
        for (int layer = 0; layer < 3; ++layer) weights.push_back(placeholder("p" + std::to_string(layer)));
        for (int layer = 0; layer < 3; ++layer) {
            const std::string number = std::to_string(layer);
            const NodeMetadata metadata = in_module("layers." + number);
            const NodeId gathered = all_gather("ag" + number, weights[static_cast<std::size_t>(layer)]);
            const NodeId weight = wait("w" + number, gathered);
            value = call("mm" + number, "aten.mm.default", {Value::of_node(value), Value::of_node(weight)}, {8, 8},
                         metadata);
        }
        const NodeId gradient = wait("wrs", reduce_scatter("rs", value, "1"));
        output({call("grad", "aten.neg.default", {gradient})});
    }

    NodeMetadata in_module(const std::string& path, bool backward = false) {
        NodeMetadata metadata;
        metadata.module_fqn = builder_.intern(path);
        if (backward) metadata.autograd_backward = true;
        return metadata;
    }

    const Names& direct(std::vector<OverlapDirective> list, const MergedCollectives& merged = {}) {
        directives_.list = std::move(list);
        if (!graph_) graph_ = std::make_shared<const Graph>(builder_.finish(header_));
        DirectedGraph directed =
            apply_overlap_directives(graph_, ModuleTree(*graph_, ModuleSource::module_fqn), directives_, merged);
        result_ = std::move(directed.result);
        refusals_.clear();
        for (const DirectiveOutcome& outcome : directed.outcomes) {
            refusals_.push_back(outcome.refusal);
            EXPECT_TRUE(outcome.refusal.empty() || outcome.edges.empty()) << outcome.refusal;
        }
        order_.clear();
        for (NodeId node = 0; node < result_.graph->node_count(); ++node)
            if (result_.graph->op(node) == NodeOp::call_function) order_.emplace_back(result_.graph->name(node));
        return order_;
    }
    std::string refusal_of(const OverlapDirective& directive, const MergedCollectives& merged = {}) {
        direct({directive}, merged);
        EXPECT_TRUE(refusals_[0].empty() || is_input());
        return refusals_[0];
    }

    OverlapDirectives directives_;
    Names refusals_, order_;
    const Names as_it_is_{"ag0", "w0", "mm0", "ag1", "w1", "mm1", "ag2", "w2", "mm2", "rs", "wrs", "grad"};
};

TEST_F(DirectedOrderTest, NothingAskedForChangesNothing) {
    direct({});
    EXPECT_TRUE(is_input());
}

TEST_F(DirectedOrderTest, StartBeforeMovesTheCollectiveAndThoseAheadInItsGroup) {
    EXPECT_EQ(direct({{.collective = "ag2", .start_before = "mm0"}}),
              (Names{"ag0", "w0", "ag1", "ag2", "mm0", "w1", "mm1", "w2", "mm2", "rs", "wrs", "grad"}));
    EXPECT_EQ(refusals_, Names{""});
    ASSERT_EQ(result_.report.orderings.size(), 1u);
    EXPECT_EQ(result_.report.orderings[0].target, "mm0");
    EXPECT_EQ(result_.report.orderings[0].source, "ag2");
}

TEST_F(DirectedOrderTest, CollectivesMayOvertakeWhereTheGroupsOrderIsNotKept) {
    directives_.keep_group_order = false;
    EXPECT_EQ(direct({{.collective = "ag2", .start_before = "mm0"}}),
              (Names{"ag0", "w0", "ag2", "mm0", "ag1", "w1", "mm1", "w2", "mm2", "rs", "wrs", "grad"}));
}

TEST_F(DirectedOrderTest, AStartBeforeTakesAlongWhatItNeeds) {
    EXPECT_EQ(direct({{.collective = "ag1", .start_before = "w0"}}),
              (Names{"ag0", "ag1", "w0", "mm0", "w1", "mm1", "ag2", "w2", "mm2", "rs", "wrs", "grad"}));
    EXPECT_EQ(direct({{.collective = "ag1", .start_before = "ag1"}}), as_it_is_);
    EXPECT_EQ(refusals_, Names{"a collective cannot be placed by itself"});
}

TEST_F(DirectedOrderTest, StartAfterDelaysTheCollectiveAndWhatNeedsIt) {
    EXPECT_EQ(direct({{.collective = "ag1", .start_after = "mm0"}}), as_it_is_);
    EXPECT_EQ(refusals_, Names{""});
    directives_.keep_group_order = false;
    direct({{.collective = "ag0", .start_after = "ag2"}});
    EXPECT_EQ(order_, (Names{"ag1", "w1", "ag2", "ag0", "w0", "mm0", "mm1", "w2", "mm2", "rs", "wrs", "grad"}));
}

TEST_F(DirectedOrderTest, WaitAfterDelaysTheWaitAndWhatNeedsIt) {
    EXPECT_EQ(direct({{.collective = "ag0", .wait_after = "ag1"}}),
              (Names{"ag0", "ag1", "w0", "mm0", "w1", "mm1", "ag2", "w2", "mm2", "rs", "wrs", "grad"}));
    EXPECT_EQ(refusals_, Names{""});
}

TEST_F(DirectedOrderTest, RunsBehindAModulesCompute) {
    EXPECT_EQ(direct({{.collective = "ag2", .hide_behind = "layers.1"}}),
              (Names{"ag0", "w0", "mm0", "ag1", "w1", "ag2", "mm1", "w2", "mm2", "rs", "wrs", "grad"}));
    EXPECT_EQ(refusals_, Names{""});
}

TEST_F(DirectedOrderTest, SeveralDirectivesHoldTogether) {
    EXPECT_EQ(direct({{.collective = "ag1", .start_before = "mm0"}, {.collective = "ag2", .start_before = "mm1"}}),
              (Names{"ag0", "w0", "ag1", "mm0", "w1", "ag2", "mm1", "w2", "mm2", "rs", "wrs", "grad"}));
    EXPECT_EQ(refusals_, (Names{"", ""}));
}

TEST_F(DirectedOrderTest, FindsTheBucketOfACollectiveThatIsGone) {
    const MergedCollectives merged = {{"ag2_old", "ag2"}, {"ag0_old", "ag0"}};
    EXPECT_EQ(direct({{.collective = "ag2_old", .start_after = "ag0_old", .start_before = "mm1"}}, merged),
              (Names{"ag0", "w0", "mm0", "ag1", "w1", "ag2", "mm1", "w2", "mm2", "rs", "wrs", "grad"}));
}

TEST_F(DirectedOrderTest, RefusesNamesThatTheGraphDoesNotHave) {
    EXPECT_EQ(refusal_of({.collective = "ag9", .start_before = "mm0"}),
              "the graph has no collective \"ag9\"; nearest: \"ag0\"");
    EXPECT_EQ(refusal_of({.collective = "mm0", .start_before = "mm1"}), "\"mm0\" is no collective");
    EXPECT_EQ(refusal_of({.collective = "ag1", .start_before = "mmm0"}),
              "the graph has no node \"mmm0\"; nearest: \"mm0\"");
    EXPECT_EQ(refusal_of({.collective = "ag1", .hide_behind = "layers.7"}), "the graph has no module \"layers.7\"");
    EXPECT_EQ(refusal_of({.collective = "ag1"}),
              "the directive asks for nothing: expected start_after, start_before, wait_after or hide_behind");
}

TEST_F(DirectedOrderTest, RefusesWhatTheDataContradictsWithTheWay) {
    EXPECT_EQ(refusal_of({.collective = "rs", .start_before = "mm1"}),
              "rs cannot be issued before mm1, which has to come first: mm1 \u2192 mm2 \u2192 rs");
    EXPECT_EQ(refusal_of({.collective = "ag1", .start_after = "mm2"}),
              "ag1 cannot be issued after mm2, which has to come behind it: ag1 \u2192 w1 \u2192 mm1 \u2192 mm2");
    EXPECT_EQ(refusal_of({.collective = "ag1", .wait_after = "mm1"}),
              "ag1 cannot be waited for after mm1, which has to come behind the wait: w1 \u2192 mm1");
    EXPECT_EQ(refusal_of({.collective = "ag0", .start_before = "x"}),
              "x is an input of the graph, and inputs come before everything");
    EXPECT_EQ(refusal_of({.collective = "ag0", .wait_after = "output"}),
              "output ends the graph, and nothing comes after it");
    EXPECT_EQ(refusal_of({.collective = "rs", .hide_behind = "layers.1"}),
              "rs cannot run behind layers.1: everything that computes there has to come before it or behind its wait");
}

TEST_F(DirectedOrderTest, RefusesWhatTheGroupsOrderContradicts) {
    // ag0 has to be issued first, and ag1 behind it; w0 may come late.
    EXPECT_EQ(
        refusal_of({.collective = "ag1", .start_before = "ag0"}),
        "ag1 cannot be issued before ag0, which has to come first: ag0 \u2192 ag1 (issued behind it on its process "
        "group)");
    EXPECT_EQ(refusal_of({.collective = "ag0", .start_after = "mm1"}),
              "ag0 cannot be issued after mm1, which has to come behind it: ag0 \u2192 w0 \u2192 mm0 \u2192 mm1");
}

TEST_F(DirectedOrderTest, RefusesOnlyTheDirectiveThatContradictsAnEarlierOne) {
    const Names order = direct({{.collective = "ag1", .start_after = "mm0"},
                                {.collective = "ag1", .start_before = "w0"},
                                {.collective = "ag2", .start_before = "mm1"}});
    EXPECT_EQ(refusals_,
              (Names{"",
                     "ag1 cannot be issued before w0, which has to come first: w0 \u2192 mm0 \u2192 ag1 (by another "
                     "directive)",
                     ""}));
    EXPECT_EQ(order,
              direct({{.collective = "ag1", .start_after = "mm0"}, {.collective = "ag2", .start_before = "mm1"}}));
}

TEST_F(DirectedOrderTest, ADirectiveThatContradictsItselfLeavesNoTrace) {
    EXPECT_EQ(
        refusal_of({.collective = "ag1", .start_after = "mm0", .start_before = "w0"}),
        "ag1 cannot be issued before w0, which has to come first: w0 \u2192 mm0 \u2192 ag1 (by another directive)");
}

TEST_F(DirectedOrderTest, KeepsTheOrderByControlDependencies) {
    directives_.insert_overlap_deps = true;
    direct({{.collective = "ag1", .start_before = "mm0", .wait_after = "mm0"}});
    EXPECT_EQ(refusals_, Names{""});
    EXPECT_EQ(order_, (Names{"ag0", "w0", "ag1", "mm0", "w1", "mm1", "ag2", "w2", "mm2", "rs", "wrs", "grad"}));
    const Graph& graph = *result_.graph;
    EXPECT_EQ(graph.target(graph.find("mm0")), "higher_order.control_deps");
    EXPECT_EQ(graph.text(graph.metadata(graph.find("mm0")).module_fqn), "layers.0");
    EXPECT_EQ(inputs("mm0"), (Names{"ag1", "subgraph_mm0", "x", "w0"}));
    EXPECT_EQ(inputs("w1"), (Names{"mm0", "subgraph_w1", "ag1"}));
    EXPECT_EQ(refusal_of({.collective = "ag1", .start_before = "output"}),
              "output is no call_function, and only those can keep the order by control_deps");
}

TEST_F(DirectedOrderTest, ACollectiveThatNothingAwaitsHasNoWaitToMove) {
    const NodeId alone = all_gather("alone", 0, "2");
    static_cast<void>(alone);
    EXPECT_EQ(refusal_of({.collective = "alone", .wait_after = "mm0"}), "alone is not waited for in this graph");
}

TEST_F(DirectedOrderTest, TakesTheNearerDirectionOfAModule) {
    const NodeId x = 0;
    const auto compute = [&](std::string_view name, bool backward) {
        call(name, "aten.mm.default", {Value::of_node(x), Value::of_node(x)}, {8, 8}, in_module("far", backward));
    };
    compute("forward", false);
    wait("w_mid", all_gather("mid", x, "3"));
    call("filler", "aten.neg.default", {x});
    call("filler_too", "aten.neg.default", {x});
    compute("backward", true);
    direct({{.collective = "mid", .hide_behind = "far"}});
    EXPECT_EQ(refusals_, Names{""});
    EXPECT_EQ(result_.report.orderings[0].target, "forward");
}

TEST_F(DirectedOrderTest, RefusesAGraphThatIsNotSorted) {
    graph_ = std::make_shared<const Graph>(builder_.finish(header_));
    GraphEditor editor(graph_);
    editor.move_before(graph_->find("mm1"), graph_->find("mm0"));
    std::vector<NodeId> origin;
    graph_ = editor.finish(origin);
    EXPECT_THROW(direct({{.collective = "ag1", .start_before = "mm0"}}), PassRefusal);
}

TEST_F(DirectedOrderTest, ReachAnswersForEveryNodeWhatTheDirectiveWouldBeTold) {
    direct({});
    FurtherEdges further(graph_->node_count());
    further.add_group_order(*graph_);
    for (const char* collective : {"ag0", "ag1", "ag2", "rs"}) {
        const OverlapReach reach(*graph_, further, graph_->find(collective));
        for (NodeId node = 0; node < graph_->node_count(); ++node) {
            const std::string name(graph_->name(node));
            SCOPED_TRACE(std::string(collective) + " " + name);
            EXPECT_EQ(reach.refusal(OverlapWish::start_before, node),
                      refusal_of({.collective = collective, .start_before = name}));
            EXPECT_EQ(reach.refusal(OverlapWish::start_after, node),
                      refusal_of({.collective = collective, .start_after = name}));
            EXPECT_EQ(reach.refusal(OverlapWish::wait_after, node),
                      refusal_of({.collective = collective, .wait_after = name}));
        }
    }
}

}  // namespace
}  // namespace overlap::test
