// Messages between the application and the layout helper, and answers put into a level.

#include "core/layout/layout_protocol.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/problem_of.h"

namespace overlap {
namespace {

using test::problem_of;

TEST(LayoutProtocol, MessagesComeInPieces) {
    std::string buffer, body;
    EXPECT_FALSE(take_message(buffer, body));
    const std::string sent = write_message("one\n2") + write_message("") + write_message("three");
    std::vector<std::string> taken;
    for (const char letter : sent) {
        buffer += letter;
        while (take_message(buffer, body)) taken.push_back(body);
    }
    EXPECT_EQ(taken, (std::vector<std::string>{"one\n2", "", "three"}));
    EXPECT_EQ(buffer, "");
}

TEST(LayoutProtocol, MessagesBeginWithTheirLength) {
    for (const char* text : {"12x\nabc", "-1\n", "\nabc", "67108865\n", "123456789012345678901"}) {
        std::string buffer = text, body;
        EXPECT_EQ(problem_of([&] { take_message(buffer, body); }), "layout helper: no length stands before a message")
            << text;
    }
    std::string longest = "67108864\n", body;
    EXPECT_FALSE(take_message(longest, body));
}

TEST(LayoutProtocol, RequestsComeAsTheyWereSent) {
    LayoutRequest request;
    request.id = 18446744073709551615u;
    request.row_gap = 32.5;
    request.box_gap = 0.1;
    request.nodes = {{100, 20}, {1.0 / 3, 1e-9}};
    request.edges = {{0, 1, 2.5}, {1, 0, 1}};
    const LayoutRequest read = read_request(write_request(request));
    EXPECT_EQ(read.id, request.id);
    EXPECT_EQ(read.row_gap, request.row_gap);
    EXPECT_EQ(read.box_gap, request.box_gap);
    EXPECT_EQ(read.nodes, request.nodes);
    ASSERT_EQ(read.edges.size(), 2u);
    EXPECT_EQ(read.edges[0].from, 0u);
    EXPECT_EQ(read.edges[0].to, 1u);
    EXPECT_EQ(read.edges[0].weight, 2.5);
    EXPECT_EQ(read.edges[1].from, 1u);
}

TEST(LayoutProtocol, AnswersComeAsTheyWereSent) {
    LayoutAnswer answer;
    answer.id = 7;
    answer.size = {300, 200.25};
    answer.positions = {{1, 2}, {-3, 1.0 / 3}};
    answer.routes = {{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, {}};
    const LayoutAnswer read = read_answer(write_answer(answer));
    EXPECT_EQ(read.id, 7u);
    EXPECT_EQ(read.problem, "");
    EXPECT_EQ(read.size, answer.size);
    EXPECT_EQ(read.positions, answer.positions);
    EXPECT_EQ(read.routes, answer.routes);

    LayoutAnswer refused;
    refused.id = 8;
    refused.problem = "the level has too many boxes";
    EXPECT_EQ(read_answer(write_answer(refused)).problem, refused.problem);
    EXPECT_EQ(read_answer(write_answer(refused)).id, 8u);
}

TEST(LayoutProtocol, AnswersMayHaveRoutesWithoutPoints) {
    LayoutAnswer answer;
    answer.routes.resize(100);
    EXPECT_EQ(read_answer(write_answer(answer)).routes.size(), 100u);
}

TEST(LayoutProtocol, RefusesWhatIsNoRequest) {
    EXPECT_EQ(problem_of([] { read_request(""); }), "layout helper: a number is missing");
    EXPECT_EQ(problem_of([] { read_request("1 32 x 0 0\n"); }), "layout helper: a number is missing");
    EXPECT_EQ(problem_of([] { read_request("1 32 inf 0 0\n"); }), "layout helper: a coordinate is not finite");
    EXPECT_EQ(problem_of([] { read_request("1 nan 16 0 0\n"); }), "layout helper: a coordinate is not finite");
    EXPECT_EQ(problem_of([] { read_request("1 32 16 1000 0\n"); }),
              "layout helper: a count is larger than the message");
    EXPECT_EQ(problem_of([] { read_request("1 32 16 1 0\n0 20\n"); }), "layout helper: a box has no size");
    EXPECT_EQ(problem_of([] { read_request("1 32 16 1 0\n20 -1\n"); }), "layout helper: a box has no size");
    EXPECT_EQ(problem_of([] { read_request("1 32 16 1 1\n20 20\n0 1 1\n"); }), "layout helper: an edge ends at no box");
    EXPECT_EQ(problem_of([] { read_request("1 32 16 1 1\n20 20\n1 0 1\n"); }), "layout helper: an edge ends at no box");
    EXPECT_EQ(problem_of([] { read_request("1 32 16 1 1\n20 20\n0 0 1\n"); }), "accepted");
}

/// A chain of three boxes below one without edges.
LevelGraph chain(bool backward = false) {
    LevelGraph graph;
    graph.nodes.assign(4, {{100, 40}, backward});
    graph.nodes[2].size.height = 60;
    graph.edges = {{1, 2, 3}, {2, 3}, {3, 1}};
    return graph;
}

LayoutAnswer answer_to(const ForeignLevel& level) {
    LayoutAnswer answer;
    answer.size = {400, 300};
    for (std::size_t index = 0; index < level.nodes.size(); ++index)
        answer.positions.push_back({10.0 * static_cast<double>(index), 100.0 * static_cast<double>(index)});
    answer.routes.assign(level.edges.size(), {{1, 40}, {2, 50}, {3, 60}, {4, 100}});
    return answer;
}

TEST(ForeignLayout, AsksForBoxesWithEdgesThatFlow) {
    const ForeignLevel level = foreign_level(chain(), {});
    EXPECT_EQ(level.nodes, (std::vector<std::uint32_t>{1, 2, 3}));
    EXPECT_EQ(level.edges, (std::vector<std::uint32_t>{0, 1}));  // the third closes a cycle
    EXPECT_EQ(level.request.nodes, (std::vector<LayoutSize>{{100, 40}, {100, 60}, {100, 40}}));
    ASSERT_EQ(level.request.edges.size(), 2u);
    EXPECT_EQ(level.request.edges[0].from, 0u);
    EXPECT_EQ(level.request.edges[0].to, 1u);
    EXPECT_EQ(level.request.edges[0].weight, 3);
    EXPECT_EQ(level.request.row_gap, LevelLayoutOptions().row_gap);
    EXPECT_EQ(level.request.box_gap, LevelLayoutOptions().box_gap);
    EXPECT_FALSE(level.upwards);
    EXPECT_TRUE(foreign_level(chain(true), {}).upwards);
    LevelGraph both = chain();
    both.nodes[3].backward = true;
    EXPECT_TRUE(foreign_level(both, {}).nodes.empty());
}

TEST(ForeignLayout, PutsTheAnswerBelowBoxesWithoutEdges) {
    const LevelGraph graph = chain();
    const LevelLayout own = LayeredEngine().layout(graph);
    const ForeignLevel level = foreign_level(graph, {});
    const LevelLayout merged = merge_answer(graph, own, level, answer_to(level), {});
    const double top = own.positions[1].y;
    EXPECT_GT(top, 0);
    EXPECT_EQ(merged.positions[0], own.positions[0]);
    EXPECT_EQ(merged.positions[1], (LayoutPoint{0, top}));
    EXPECT_EQ(merged.positions[2], (LayoutPoint{10, top + 100}));
    EXPECT_EQ(merged.positions[3], (LayoutPoint{20, top + 200}));
    EXPECT_EQ(merged.routes[0].style, RouteStyle::drawn);
    EXPECT_EQ(merged.routes[0].points,
              (std::vector<LayoutPoint>{{1, top + 40}, {2, top + 50}, {3, top + 60}, {4, top + 100}}));
    // The edge that closes the cycle goes beside the boxes where they are now.
    ASSERT_EQ(merged.routes[2].points.size(), 4u);
    EXPECT_GE(merged.routes[2].points.front().y, top + 200);
    EXPECT_EQ(merged.size, (LayoutSize{400, top + 300}));
}

TEST(ForeignLayout, TurnsLevelsOfTheBackwardDirectionOver) {
    const LevelGraph graph = chain(true);
    const LevelLayout own = LayeredEngine().layout(graph);
    const ForeignLevel level = foreign_level(graph, {});
    const LevelLayout merged = merge_answer(graph, own, level, answer_to(level), {});
    double top = own.size.height;
    for (const std::uint32_t node : level.nodes) top = std::min(top, own.positions[node].y);
    EXPECT_EQ(merged.positions[1], (LayoutPoint{0, top + 300 - 40}));
    EXPECT_EQ(merged.positions[2], (LayoutPoint{10, top + 300 - 100 - 60}));
    EXPECT_EQ(merged.routes[0].points.front(), (LayoutPoint{1, top + 300 - 40}));
}

TEST(ForeignLayout, RefusesAnAnswerToSomethingElse) {
    const LevelGraph graph = chain();
    const LevelLayout own = LayeredEngine().layout(graph);
    const ForeignLevel level = foreign_level(graph, {});
    const LayoutAnswer answer = answer_to(level);
    const auto refused = [&](const LayoutAnswer& other) {
        return problem_of([&] { merge_answer(graph, own, level, other, {}); });
    };
    const std::string problem = "layout helper: the layout is not one of this level";
    LayoutAnswer other = answer;
    other.positions.pop_back();
    EXPECT_EQ(refused(other), problem);
    other = answer;
    other.routes.emplace_back(answer.routes[0]);
    EXPECT_EQ(refused(other), problem);
    other = answer;
    other.routes[1].pop_back();  // no chain of Bézier curves
    EXPECT_EQ(refused(other), problem);
    EXPECT_EQ(refused(answer), "accepted");
}

}  // namespace
}  // namespace overlap
