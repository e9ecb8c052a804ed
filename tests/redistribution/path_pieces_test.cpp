// Ways through splits and cats, ways that meet, and ways that are read from their end.

#include <gtest/gtest.h>

#include "core/redistribution/redistribution_path.h"
#include "tests/redistribution/path_cases.h"

namespace overlap::test {

namespace {

/// The drawing returns the value whose way is asked for.
std::string way_to(const std::function<NodeId(PathSketch&, NodeId)>& draw) {
    PathSketch sketch;
    const NodeId value = draw(sketch, sketch.parameter({8, 6}));
    const auto graph = sketch.graph({value});
    const std::optional<RedistributionPath> path = path_to(*graph, value);
    return path ? path_text_of(*path) : "no way";
}

}  // namespace

TEST(PathPieces, SplitsAreDimensionsChunksOrEndTheWay) {
    expect_paths({
        {"gathered columns",
         {8, 6},
         [](auto& s, NodeId p) {
             const NodeId rows = s.gather(p, 4, {32, 6});
             s.cat(s.pieces(s.split(rows, 0, 4, {8, 6}), 4, {8, 6}), 1, {8, 24});
         },
         {"all_gather from 1 in 4: 8x24"}},
        {"in other pieces than those of the ranks",
         {8, 6},
         [](auto& s, NodeId p) {
             const NodeId rows = s.gather(p, 4, {32, 6});
             s.cat(s.pieces(s.split(rows, 0, 2, {16, 6}), 2, {16, 6}), 1, {16, 12});
         },
         {gathered}},
        {"in another order",
         {8, 6},
         [](auto& s, NodeId p) {
             std::vector<NodeId> pieces = s.pieces(s.split(s.gather(p, 4, {32, 6}), 0, 4, {8, 6}), 4, {8, 6});
             std::swap(pieces[0], pieces[3]);
             s.cat(pieces, 1, {8, 24});
         },
         {gathered}},
        {"taken in another order",
         {8, 6},
         [](auto& s, NodeId p) {
             const NodeId split = s.split(s.gather(p, 4, {32, 6}), 0, 2, {16, 6});
             const NodeId second = s.piece(split, 1, {16, 6}), first = s.piece(split, 0, {16, 6});
             s.cat({second, first}, 1, {16, 12});
         },
         {gathered}},
        {"taken and joined in another order",
         {8, 6},
         [](auto& s, NodeId p) {
             const NodeId split = s.split(s.gather(p, 4, {32, 6}), 0, 4, {8, 6});
             std::vector<NodeId> pieces;
             for (const int index : {1, 0, 2, 3}) pieces.push_back(s.piece(split, index, {8, 6}));
             s.cat(pieces, 1, {8, 24});
         },
         {gathered}},
        {"with something else beside the pieces",
         {8, 6},
         [](auto& s, NodeId p) {
             std::vector<NodeId> pieces = s.pieces(s.split(s.gather(p, 4, {32, 6}), 0, 4, {8, 6}), 4, {8, 6});
             pieces.push_back(s.parameter({8, 6}));
             s.cat(pieces, 1, {8, 30});
         },
         {gathered}},
        {"a piece that is used twice",
         {8, 6},
         [](auto& s, NodeId p) {
             const std::vector<NodeId> pieces = s.pieces(s.split(s.gather(p, 4, {32, 6}), 0, 4, {8, 6}), 4, {8, 6});
             s.cat(pieces, 1, {8, 24});
             s.compute(pieces[1], {8, 6});
         },
         {gathered}},
        {"pieces that are computed with",
         {8, 6},
         [](auto& s, NodeId p) {
             for (const NodeId piece : s.pieces(s.split(s.gather(p, 4, {32, 6}), 0, 2, {16, 6}), 2, {16, 6})) {
                 s.compute(piece, {16, 6});
             }
         },
         {gathered}},
        {"one piece in use of two",
         {8, 6},
         [](auto& s, NodeId p) {
             const NodeId split = s.split(s.gather(p, 4, {32, 6}), 0, 2, {16, 6});
             s.piece(split, 0, {16, 6});
             s.compute(s.piece(split, 1, {16, 6}), {16, 6});
         },
         {gathered + ", chunk to 0 in 2: 16x6"}},
        {"not taken apart by getitem",
         {8, 6},
         [](auto& s, NodeId p) {
             s.compute(s.split(s.gather(p, 4, {32, 6}), 0, 2, {16, 6}), {16, 6});
         },
         {gathered}},
        {"along a dimension that is not there",
         {8, 6},
         [](auto& s, NodeId p) {
             const NodeId rows = s.gather(p, 4, {32, 6});
             const NodeId split = s.call("apart", "aten.split.Tensor",
                                         {Value::of_node(rows), Value::of_integer(16), Value::of_integer(2)},
                                         {s.tensor("float32", {16, 6}), s.tensor("float32", {16, 6})});
             s.compute(s.piece(split, 1, {16, 6}), {16, 6});
         },
         {gathered}},
        {"scattered columns",
         {8, 8},
         [](auto& s, NodeId p) {
             const NodeId rows = s.cat(s.pieces(s.split(p, 1, 4, {8, 2}), 4, {8, 2}), 0, {32, 2});
             s.scatter(rows, 4, {8, 2});
         },
         {"reduce_scatter to 1 in 4: 8x2"}},
        {"columns scattered over an unlisted group",
         {8, 8},
         [](auto& s, NodeId p) {
             const NodeId rows = s.cat(s.pieces(s.split(p, 1, 4, {8, 2}), 4, {8, 2}), 0, {32, 2});
             s.scatter(rows, 4, {8, 2}, "9");
         },
         {"reduce_scatter to 1 in 4: 8x2"}},
        {"columns in other pieces than those of the ranks",
         {8, 8},
         [](auto& s, NodeId p) {
             const NodeId rows = s.cat(s.pieces(s.split(p, 1, 2, {8, 4}), 2, {8, 4}), 0, {16, 4});
             s.scatter(rows, 4, {4, 4});
         },
         {}},
        {"columns below one another and no scatter",
         {8, 8},
         [](auto& s, NodeId p) {
             const auto below = [&] { return s.cat(s.pieces(s.split(p, 1, 2, {8, 4}), 2, {8, 4}), 0, {16, 4}); };
             s.reduce(below(), {16, 4});
             s.exchange(below(), 0, 1, {64, 1});
             s.slice(below(), 0, 0, 8, {8, 4});
             s.split(below(), 0, 2, {8, 4});
         },
         {}},
    });
}

TEST(PathPieces, WaysThatBeginOthersAreLeftOut) {
    expect_paths({
        {"a second collective and a copy",
         {2, 6},
         [](auto& s, NodeId p) {
             const NodeId first = s.gather(p, 4, {8, 6});
             s.op("aten.clone.default", GraphSketch::values({first}), {8, 6});
             s.gather(first, 4, {32, 6});
         },
         {"all_gather from 0 in 4: 8x6, all_gather from 0 in 4: 32x6"}},
        {"two copies of one gather",
         {8, 6},
         [](auto& s, NodeId p) {
             const NodeId first = s.gather(p, 4, {32, 6});
             s.op("aten.clone.default", GraphSketch::values({first}), {32, 6});
             s.op("aten.clone.default", GraphSketch::values({first}), {32, 6});
         },
         {gathered}},
        {"two gathers",
         {8, 6},
         [](auto& s, NodeId p) {
             s.gather(p, 4, {32, 6}), s.gather(p, 4, {32, 6});
         },
         {gathered, gathered}},
    });
}

TEST(PathPieces, WaysToAValueAreReadFromTheirEnd) {
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) { return s.compute(p, {8, 6}); }), "no way");
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) { return s.reduce(p, {8, 6}, "0", "premul_sum"); }), "no way");
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) {
                  return s.reduce(s.compute(p, {8, 6}), {8, 6});
              }),
              "all_reduce in 4: 8x6");
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) {
                  return s.scatter(s.pad(p, {0, 0, 0, 4}, {12, 6}), 4, {3, 6});
              }),
              "reduce_scatter to 0 in 4: 3x6");
    // A slice that is no piece of equal ones is computation: the way begins behind it.
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) {
                  const NodeId part = s.slice(s.gather(p, 4, {32, 6}), 0, 5, 10, {5, 6});
                  return s.reduce(part, {5, 6});
              }),
              "all_reduce in 4: 5x6");
    // What is joined comes from one split alone, or the way begins with what joins it.
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) {
                  return s.scatter(s.cat(s.pieces(s.split(p, 1, 2, {8, 3}), 2, {8, 3}), 0, {16, 3}), 2, {8, 3});
              }),
              "reduce_scatter to 1 in 2: 8x3");
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) {
                  const NodeId other = s.split(s.parameter({8, 6}), 1, 2, {8, 3});
                  const NodeId own = s.piece(s.split(p, 1, 2, {8, 3}), 0, {8, 3});
                  return s.scatter(s.cat({own, s.piece(other, 1, {8, 3})}, 0, {16, 3}), 2, {8, 3});
              }),
              "reduce_scatter to 0 in 2: 8x3");
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) {
                  return s.scatter(s.cat({p, s.parameter({8, 6})}, 0, {16, 6}), 4, {4, 6});
              }),
              "reduce_scatter to 0 in 4: 4x6");
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) {
                  const NodeId both = s.op("aten.max.dim", GraphSketch::values({p}), {8, 6});
                  return s.reduce(s.piece(both, 0, {8, 6}), {8, 6});
              }),
              "all_reduce in 4: 8x6");
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) {
                  const NodeId both = s.op("aten.max.dim", GraphSketch::values({p}), {8, 6});
                  return s.scatter(s.cat({s.piece(both, 0, {8, 6}), s.piece(both, 1, {8, 6})}, 0, {16, 6}), 4, {4, 6});
              }),
              "reduce_scatter to 0 in 4: 4x6");
    // Two waits are an obstacle for a gradient too.
    EXPECT_EQ(way_to([](PathSketch& s, NodeId p) {
                  const NodeId start = s.op("_c10d_functional.all_reduce.default",
                                            {Value::of_node(p), s.text("sum"), s.text("0")}, {8, 6});
                  s.wait(start, {8, 6});
                  return s.wait(start, {8, 6});
              }),
              "all_reduce in 4: 8x6 | \"all_reduce\" is not awaited once, as a collective should be");
}

}  // namespace overlap::test
