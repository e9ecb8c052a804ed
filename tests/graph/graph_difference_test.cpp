#include "core/graph/graph_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "core/graph/deferred_difference.h"
#include "core/graph/editing/graph_editor.h"
#include "tests/graph/graph_in_code.h"

namespace overlap {
namespace {

/// Calls n0, n1, ... without inputs, which may stand in any order.
std::shared_ptr<const Graph> independent_calls(int count) {
    GraphBuilder builder;
    for (int index = 0; index < count; ++index) {
        test::call(builder, std::string("n").append(std::to_string(index)), "test.call.default", {});
    }
    return std::make_shared<const Graph>(builder.finish({}));
}

struct Edited {
    std::shared_ptr<const Graph> graph;
    GraphDifference difference;
};

/// What `edit` does to `before`.
template <typename Edit>
Edited edited(const std::shared_ptr<const Graph>& before, Edit&& edit) {
    GraphEditor editor(before);
    edit(editor);
    std::vector<NodeId> origin;
    const auto after = editor.finish(origin);
    return {after, graph_difference(*before, *after, origin)};
}

std::string names(const std::vector<NodeChange>& changes) {
    std::string joined;
    for (const NodeChange& change : changes) joined.append(joined.empty() ? "" : " ").append(change.name);
    return joined;
}

TEST(GraphDifference, OfAGraphWithItselfIsEmpty) {
    const auto graph = independent_calls(5);
    std::vector<NodeId> origin(graph->node_count());
    std::iota(origin.begin(), origin.end(), NodeId{0});
    EXPECT_TRUE(graph_difference(*graph, *graph, origin).empty());
}

TEST(DeferredDifference, IsFoundOnceForAllCopies) {
    EXPECT_TRUE(DeferredDifference()->empty());
    const auto graph = independent_calls(4);
    GraphEditor editor(graph);
    editor.erase(2);
    std::vector<NodeId> origin;
    const auto after = editor.finish(origin);
    const DeferredDifference deferred(graph, after, origin), copy = deferred;
    EXPECT_EQ(deferred->removed, graph_difference(*graph, *after, origin).removed);
    EXPECT_EQ(&*copy, &*deferred);
}

TEST(GraphDifference, TellsWhatLeftItsPlaceAndFromWhere) {
    const auto graph = independent_calls(6);
    const auto [after, difference] = edited(graph, [](GraphEditor& editor) { editor.move_before(4, 1); });
    ASSERT_EQ(names(difference.moved), "n4");  // and not n1, n2 and n3, which stand behind it now
    EXPECT_EQ(difference.moved[0].before, 4u);
    EXPECT_EQ(difference.moved[0].after, 1u);
    EXPECT_EQ(difference.moved[0].target, "test.call.default");
    EXPECT_TRUE(difference.added.empty() && difference.removed.empty() && difference.changed.empty());
}

TEST(GraphDifference, TellsWhatCameAndWent) {
    const auto graph = independent_calls(4);
    const auto [after, difference] = edited(graph, [](GraphEditor& editor) { editor.erase(1); });
    EXPECT_EQ(names(difference.removed), "n1");
    EXPECT_EQ(difference.removed[0].before, 1u);
    EXPECT_EQ(difference.removed[0].after, no_node);
    EXPECT_TRUE(difference.moved.empty());  // that others have smaller numbers now is no move

    // Seen from the other side the node came.
    const std::vector<NodeId> back{0, no_node, 1, 2};
    const GraphDifference reversed = graph_difference(*after, *graph, back);
    EXPECT_EQ(names(reversed.added), "n1");
    EXPECT_EQ(reversed.added[0].before, no_node);
    EXPECT_EQ(reversed.added[0].after, 1u);
    EXPECT_TRUE(reversed.removed.empty() && reversed.moved.empty());
}

TEST(GraphDifference, TellsWhoseArgumentsChanged) {
    GraphBuilder builder;
    const NodeId a = test::placeholder(builder, "a"), b = test::placeholder(builder, "b");
    test::call(builder, "first", "test.call.default", {a, b});
    test::call(builder, "second", "test.call.default", {b});
    const auto graph = std::make_shared<const Graph>(builder.finish({}));
    const auto [after, difference] = edited(graph, [](GraphEditor& editor) {
        editor.set_arguments(3, editor.list(std::vector{Value::of_node(0)}), editor.record(3).kwargs);
    });
    EXPECT_EQ(names(difference.changed), "second");
    EXPECT_TRUE(difference.added.empty() && difference.removed.empty() && difference.moved.empty());
}

TEST(GraphDifference, InputsThatOnlyMovedChangeNobody) {
    GraphBuilder builder;
    const NodeId a = test::placeholder(builder, "a");
    test::placeholder(builder, "b");
    test::call(builder, "user", "test.call.default", {a});
    const auto graph = std::make_shared<const Graph>(builder.finish({}));
    const auto [after, difference] = edited(graph, [](GraphEditor& editor) { editor.move_before(1, 0); });
    EXPECT_EQ(difference.moved.size(), 1u);
    EXPECT_TRUE(difference.changed.empty());
}

/// The length of a longest ascending subsequence, the slow way.
std::size_t longest_ascending(const std::vector<NodeId>& sequence) {
    std::vector<std::size_t> length(sequence.size(), 1);
    for (std::size_t end = 0; end < sequence.size(); ++end) {
        for (std::size_t begin = 0; begin < end; ++begin) {
            if (sequence[begin] < sequence[end]) length[end] = std::max(length[end], length[begin] + 1);
        }
    }
    return sequence.empty() ? 0 : *std::ranges::max_element(length);
}

TEST(GraphDifference, MovesAreTheFewestThatExplainTheOrder) {
    constexpr int count = 60;
    const auto graph = independent_calls(count);
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        std::vector<NodeId> origin(count);
        std::iota(origin.begin(), origin.end(), NodeId{0});
        std::ranges::shuffle(origin, random);
        const GraphDifference difference = graph_difference(*graph, *graph, origin);
        EXPECT_EQ(difference.moved.size(), count - longest_ascending(origin));
        // What did not move is in ascending order.
        std::vector<NodeId> rest = origin;
        for (const NodeChange& move : difference.moved) std::erase(rest, move.before);
        EXPECT_TRUE(std::ranges::is_sorted(rest));
    }
}

TEST(GraphDifference, KeepsItsTextWithoutTheGraphs) {
    GraphDifference difference;
    {
        const auto graph = independent_calls(3);
        difference = edited(graph, [](GraphEditor& editor) { editor.erase(2); }).difference;
    }
    EXPECT_EQ(names(difference.removed), "n2");
}

}  // namespace
}  // namespace overlap
