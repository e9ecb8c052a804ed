// Dependencies beside those of the graph, and the timelines that take events out and put them back.

#include "core/passes/scheduling/augmented_graph.h"

#include "core/passes/scheduling/group_timeline.h"
#include "tests/passes/scheduling/augmented_graph_fixture.h"

namespace overlap::scheduling {
namespace {

using test::AugmentedGraphTest;

TEST_F(AugmentedGraphTest, ADependencyAddedTwiceIsRemovedAtOnce) {
    const NodeId a = placeholder("a"), b = placeholder("b"), c = placeholder("c"), d = placeholder("d");
    output({a, b, c, d});
    augment();
    augmented_->add(d, a);
    augmented_->add(d, b);
    augmented_->add(d, a);
    EXPECT_EQ(dependencies(d), (Names{"a", "b"}));
    augmented_->remove(d, a);
    EXPECT_EQ(dependencies(d), (Names{"b"}));
    augmented_->add(d, a);  // moves to the end
    augmented_->remove(d, c);
    EXPECT_EQ(dependencies(d), (Names{"b", "a"}));
    EXPECT_EQ(augmented_->dependents(), (std::vector<NodeId>{d}));
}

TEST_F(AugmentedGraphTest, FindsPathsThroughInputsDependenciesAndMergedNodes) {
    const NodeId a = placeholder("a");
    const NodeId b = call("b", "aten.neg.default", {a});
    const NodeId c = placeholder("c");
    const NodeId d = call("d", "aten.neg.default", {c});
    const NodeId e = placeholder("e");
    output({b, d, e});
    augment();
    EXPECT_TRUE(augmented_->are_connected(b, a));
    EXPECT_TRUE(augmented_->are_connected(a, b));
    EXPECT_FALSE(augmented_->are_connected(b, d));
    augmented_->add(c, b);
    EXPECT_TRUE(augmented_->are_connected(d, a));
    augmented_->remove(c, b);
    EXPECT_FALSE(augmented_->are_connected(b, c));
    augmented_->merge(b, c);  // now d depends on b
    EXPECT_TRUE(augmented_->are_connected(d, a));
    augmented_->split(c);
    EXPECT_FALSE(augmented_->are_connected(d, a));
    augmented_->add(b, e);  // against the order of the graph
    augmented_->add(e, d);
    EXPECT_TRUE(augmented_->are_connected(c, b));
}

TEST_F(AugmentedGraphTest, ACycleLeavesOnlyTheSearch) {
    const NodeId a = placeholder("a"), b = placeholder("b"), c = placeholder("c"), d = placeholder("d");
    output({a, b, c, d});
    augment();
    augmented_->add(b, a);
    augmented_->add(a, b);
    augmented_->add(c, b);
    EXPECT_TRUE(augmented_->are_connected(a, c));
    EXPECT_FALSE(augmented_->are_connected(a, d));
    augmented_->merge(a, d);
    EXPECT_TRUE(augmented_->are_connected(d, c));
    augmented_->split(d);
    EXPECT_FALSE(augmented_->are_connected(d, c));
}

/// One group with three collectives and a product: gather_1, gather_2, product, wait_1, wait_2.
class TimelineTest : public AugmentedGraphTest {
  protected:
    TimelineTest() {
        const NodeId x = placeholder("x");
        first_ = gather("gather_1", x, 1);
        second_ = gather("gather_2", x, 1);
        product_ = compute("product", x, x, 1);
        first_wait_ = awaited("wait_1", first_);
        second_wait_ = awaited("wait_2", second_);
        output({product_, first_wait_, second_wait_});
        augment();
        timelines_ = build_timelines(*graph_, table_, order_, *augmented_);
    }
    GroupTimeline& timeline() { return timelines_.front(); }

    NodeId first_, second_, product_, first_wait_, second_wait_;
    std::vector<GroupTimeline> timelines_;
};

TEST_F(TimelineTest, EachEventDependsOnTheOneBeforeIt) {
    ASSERT_EQ(timelines_.size(), 1u);
    ASSERT_EQ(timeline().events().size(), 5u);
    EXPECT_EQ(timeline().event(0).kind, Event::Kind::start);
    EXPECT_EQ(timeline().event(2).kind, Event::Kind::compute);
    EXPECT_EQ(timeline().event(4).kind, Event::Kind::wait);
    EXPECT_TRUE(dependencies(first_).empty());
    EXPECT_EQ(dependencies(second_), (Names{"gather_1"}));
    EXPECT_EQ(dependencies(product_), (Names{"gather_2"}));
    EXPECT_EQ(dependencies(first_wait_), (Names{"product"}));
    EXPECT_EQ(dependencies(second_wait_), (Names{"wait_1"}));
}

TEST_F(TimelineTest, TakingAnEventOutJoinsItsNeighbours) {
    timeline().take_out(product_, 2, *augmented_);
    EXPECT_TRUE(dependencies(product_).empty());
    EXPECT_EQ(dependencies(first_wait_), (Names{"gather_2"}));
    EXPECT_EQ(timeline().event(1).next, 3u);
    EXPECT_EQ(timeline().event(3).previous, 1u);
}

/// The reference restores what the event depends on, and not what depends on it.
TEST_F(TimelineTest, PuttingAnEventBackForgetsADependencyOfTheNext) {
    const GroupTimeline::Place place = timeline().take_out(product_, 2, *augmented_);
    timeline().put_back(product_, place, *augmented_);
    EXPECT_EQ(dependencies(product_), (Names{"gather_2"}));
    EXPECT_TRUE(dependencies(first_wait_).empty());
    EXPECT_EQ(timeline().event(1).next, 2u);
    EXPECT_EQ(timeline().event(3).previous, 2u);
}

TEST_F(TimelineTest, AtTheEndsPuttingBackRestoresEverything) {
    timeline().put_back(first_, timeline().take_out(first_, 0, *augmented_), *augmented_);
    EXPECT_EQ(dependencies(second_), (Names{"gather_1"}));
    timeline().put_back(second_wait_, timeline().take_out(second_wait_, 4, *augmented_), *augmented_);
    EXPECT_EQ(dependencies(second_wait_), (Names{"wait_1"}));
    EXPECT_TRUE(dependencies(first_).empty());
}

TEST_F(TimelineTest, DependenciesAreKeptForTheNodeThatIsNamed) {
    // After a merge the event's node is another one than the node that moves.
    timeline().take_out(product_, 3, *augmented_);
    EXPECT_EQ(dependencies(first_wait_), (Names{"product"}));  // not touched: it is `product` that lost its own
    EXPECT_EQ(dependencies(second_wait_), (Names{"wait_1", "product"}));
}

TEST_F(AugmentedGraphTest, HiddenCollectivesStayAroundWhatHidesThem) {
    const NodeId x = placeholder("x");
    const NodeId start = gather("gather", x, 1);
    const NodeId product = compute("product", x, x, 1);
    const NodeId end = awaited("wait", start);
    output({product, end});
    table_ = collectives();
    table_.collectives[0].hiding = {product};
    table_.collectives[0].exposed_ms = 0;
    augment(table_);
    build_timelines(*graph_, table_, order_, *augmented_);
    EXPECT_EQ(ancestors_->starts_before(product)[0], 1u);
    EXPECT_EQ(dependencies(product), (Names{"gather"}));
    EXPECT_EQ(dependencies(end), (Names{"product"}));
}

TEST_F(AugmentedGraphTest, WhatStaysExposedIsNotHeldAroundWhatHidesAPartOfIt) {
    for (const double exposed_ms : {0.0, 0.5}) {
        builder_ = {};
        const NodeId x = placeholder("x");
        const NodeId start = gather("gather", x, 1);
        const NodeId product = compute("product", x, x, 1), other = compute("other", x, x, 1);
        const NodeId end = awaited("wait", start);
        output({product, other, end});
        table_ = collectives();
        table_.collectives[0].hiding = {product};
        table_.collectives[0].exposed_ms = exposed_ms;
        augment(table_);
        build_timelines(*graph_, table_, order_, *augmented_);
        EXPECT_EQ(dependencies(end), exposed_ms == 0 ? Names({"other", "product"}) : Names({"other"}));
    }
}

TEST_F(AugmentedGraphTest, DependenciesPassToWhatReplacesANode) {
    const NodeId x = placeholder("x"), y = placeholder("y");
    const NodeId a = call("a", "aten.neg.default", {x});
    const NodeId b = call("b", "aten.neg.default", {y});
    const NodeId before = call("before", "aten.neg.default", {x});
    const NodeId behind = call("behind", "aten.neg.default", {x});
    const NodeId replacement = call("replacement", "aten.add.Tensor", {before, y});
    output({a, b, behind, replacement});
    augment();
    augmented_->add(a, before);
    augmented_->add(a, y);
    augmented_->add(behind, b);
    augmented_->add(b, a);
    const GraphEditor editor(graph_);
    const std::vector<std::pair<NodeId, NodeId>> replaced = {{a, replacement}, {b, replacement}};
    augmented_->transfer(replaced, editor);
    EXPECT_TRUE(dependencies(a).empty());
    EXPECT_TRUE(dependencies(b).empty());
    EXPECT_EQ(dependencies(behind), (Names{"replacement"}));
    // An own input becomes a dependency too; only the other direction would be left out, and what became itself.
    EXPECT_EQ(dependencies(replacement), (Names{"before", "y"}));
}

TEST_F(AugmentedGraphTest, ATransferNeverTurnsADependencyRound) {
    const NodeId x = placeholder("x");
    const NodeId old = call("old", "aten.neg.default", {x});
    const NodeId replacement = call("replacement", "aten.neg.default", {x});
    const NodeId reader = call("reader", "aten.neg.default", {replacement});
    const NodeId later = call("later", "aten.neg.default", {x});
    output({old, reader, later});
    augment();
    augmented_->add(later, replacement);
    augmented_->add(old, reader);
    augmented_->add(old, later);
    const GraphEditor editor(graph_);
    const std::vector<std::pair<NodeId, NodeId>> replaced = {{old, replacement}};
    augmented_->transfer(replaced, editor);
    EXPECT_TRUE(dependencies(replacement).empty());
    EXPECT_EQ(dependencies(later), (Names{"replacement"}));
}

}  // namespace
}  // namespace overlap::scheduling
