// What counts as a way through collectives, operator by operator, and where such a way ends.

#include "core/redistribution/redistribution_path.h"

#include <gtest/gtest.h>

#include "tests/redistribution/path_cases.h"

namespace overlap::test {

TEST(RedistributionPath, CollectivesAreReadOrEndTheWay) {
    expect_paths({
        {"a gather of other sizes",
         {8, 6},
         [](auto& s, NodeId p) {
             s.gather(p, 4, {31, 6});
         },
         {}},
        {"a gather of nobody",
         {8, 6},
         [](auto& s, NodeId p) {
             s.gather(p, 0, {0, 6});
         },
         {}},
        {"a gather of a scalar", {}, [](auto& s, NodeId p) { s.gather(p, 4, {4}); }, {}},
        {"a gather of a number of ranks that is a text",
         {8, 6},
         [](auto& s, NodeId p) {
             s.op(gather_target, {Value::of_node(p), s.text("4"), s.text("0")}, {32, 6});
         },
         {}},
        {"nobody waits inside the graph",
         {8, 6},
         [](auto& s, NodeId p) {
             s.op(gather_target, {Value::of_node(p), Value::of_integer(4), s.text("0")}, {32, 6});
         },
         {gathered}},
        {"a scatter",
         {8, 6},
         [](auto& s, NodeId p) {
             s.scatter(p, 4, {2, 6}, "0", "avg");
         },
         {"reduce_scatter to 0 in 4: 2x6"}},
        {"a scatter of other sizes",
         {8, 6},
         [](auto& s, NodeId p) {
             s.scatter(p, 4, {3, 6});
         },
         {}},
        {"a scatter to nobody",
         {8, 6},
         [](auto& s, NodeId p) {
             s.scatter(p, 0, {8, 6});
         },
         {}},
        {"a scatter of a scalar", {}, [](auto& s, NodeId p) { s.scatter(p, 4, {1}); }, {}},
        {"a scatter by an unknown reduction",
         {8, 6},
         [](auto& s, NodeId p) {
             s.scatter(p, 4, {2, 6}, "0", "premul_sum");
         },
         {}},
        {"a scatter by a reduction that is no text",
         {8, 6},
         [](auto& s, NodeId p) {
             s.op("_c10d_functional.reduce_scatter_tensor.default",
                  {Value::of_node(p), Value::of_integer(0), Value::of_integer(4), s.text("0")}, {2, 6});
         },
         {}},
        {"a reduction",
         {8, 6},
         [](auto& s, NodeId p) {
             s.reduce(p, {8, 6}, "0", "max");
         },
         {"all_reduce in 4: 8x6"}},
        {"a reduction over an unlisted group",
         {8, 6},
         [](auto& s, NodeId p) {
             s.reduce(p, {8, 6}, "9");
         },
         {"all_reduce in 0: 8x6"}},
        {"an unknown reduction",
         {8, 6},
         [](auto& s, NodeId p) {
             s.reduce(p, {8, 6}, "0", "premul_sum");
         },
         {}},
        {"a reduction that is no text",
         {8, 6},
         [](auto& s, NodeId p) {
             s.op("_c10d_functional.all_reduce.default", {Value::of_node(p), Value::of_integer(0), s.text("0")},
                  {8, 6});
         },
         {}},
        {"another collective",
         {8, 6},
         [](auto& s, NodeId p) {
             s.op("_c10d_functional.all_to_all_single.default",
                  {Value::of_node(p), s.list({}), s.list({}), s.text("0")}, {8, 6});
         },
         {}},
    });
}

TEST(RedistributionPath, ExchangesNameTheirDimensions) {
    expect_paths({
        {"rows for columns",
         {8, 8},
         [](auto& s, NodeId p) {
             s.exchange(p, 0, 1, {32, 2});
         },
         {"all_to_all from 0 to 1 in 4: 32x2"}},
        {"dimensions counted from the end",
         {8, 8},
         [](auto& s, NodeId p) {
             s.exchange(p, -1, -2, {2, 32});
         },
         {"all_to_all from 1 to 0 in 4: 2x32"}},
        {"an unlisted group",
         {8, 8},
         [](auto& s, NodeId p) {
             s.exchange(p, 0, 1, {32, 2}, "9");
         },
         {"all_to_all from 0 to 1 in 0: 32x2"}},
        {"a dimension that is not there",
         {8, 8},
         [](auto& s, NodeId p) {
             s.exchange(p, 2, 1, {32, 2});
         },
         {}},
        {"a dimension to cut that is not there",
         {8, 8},
         [](auto& s, NodeId p) {
             s.exchange(p, 0, -3, {32, 2});
         },
         {}},
        {"no group",
         {8, 8},
         [](auto& s, NodeId p) {
             s.op("_dtensor.shard_dim_alltoall.default",
                  {Value::of_node(p), Value::of_integer(0), Value::of_integer(1)}, {32, 2});
         },
         {}},
        {"a group that is no text",
         {8, 8},
         [](auto& s, NodeId p) {
             s.op("_dtensor.shard_dim_alltoall.default",
                  {Value::of_node(p), Value::of_integer(0), Value::of_integer(1), Value::of_integer(0)}, {32, 2});
         },
         {}},
    });
}

TEST(RedistributionPath, ObstaclesNameTheNode) {
    expect_paths({
        {"two waits",
         {8, 6},
         [](auto& s, NodeId p) {
             const NodeId start = s.op(gather_target, {Value::of_node(p), Value::of_integer(4), s.text("0")}, {32, 6});
             s.wait(start, {32, 6});
             s.wait(start, {32, 6});
         },
         {gathered + " | \"all_gather_into_tensor\" is not awaited once, as a collective should be"}},
        {"a use without a wait",
         {8, 6},
         [](auto& s, NodeId p) {
             const NodeId start = s.op(gather_target, {Value::of_node(p), Value::of_integer(4), s.text("0")}, {32, 6});
             s.compute(start, {32, 6});
         },
         {gathered + " | \"all_gather_into_tensor\" is not awaited once, as a collective should be"}},
        {"several tensors at once",
         {8, 6},
         [](auto& s, NodeId p) {
             s.op("_c10d_functional.all_gather_into_tensor_coalesced.default",
                  {s.list({Value::of_node(p)}), Value::of_integer(4), s.text("0")}, {32, 6});
         },
         {" | its collectives are merged with those of other tensors (\"all_gather_into_tensor_coalesced\"); open the "
          "graph as it is before bucketing"}},
        {"a slice that may be two things",
         {1, 6},
         [](auto& s, NodeId p) {
             s.slice(s.gather(p, 4, {4, 6}), 0, 0, 2, {2, 6});
         },
         {"all_gather from 0 in 4: 4x6 | whether \"slice\" cuts off padding or keeps a shard does not follow from "
          "sizes "
          "this small"}},
    });
}

TEST(RedistributionPath, PaddingIsFollowedAtTheEndAlone) {
    const std::vector<std::string> padded = {"all_gather from 0 in 4: 32x6"};
    expect_paths({
        {"behind",
         {7, 6},
         [](auto& s, NodeId p) {
             s.gather(s.pad(p, {0, 0, 0, 1}, {8, 6}), 4, {32, 6});
         },
         padded},
        {"before",
         {7, 6},
         [](auto& s, NodeId p) {
             s.gather(s.pad(p, {0, 0, 1, 0}, {8, 6}), 4, {32, 6});
         },
         {}},
        {"of no known width",
         {7, 6},
         [](auto& s, NodeId p) {
             s.gather(s.op("aten.constant_pad_nd.default", {Value::of_node(p)}, {8, 6}), 4, {32, 6});
         },
         {}},
        {"that adds a dimension",
         {48},
         [](auto& s, NodeId p) {
             s.gather(s.pad(p, {0, 0}, {8, 6}), 4, {32, 6});
         },
         {}},
    });
}

TEST(RedistributionPath, SlicesAreChunksOrEndTheWay) {
    const auto sliced = [](int dim, std::int64_t begin, std::int64_t end, Extents sizes, std::int64_t step = 1) {
        return [=](PathSketch& s, NodeId p) { s.slice(s.gather(p, 4, {32, 6}), dim, begin, end, sizes, step); };
    };
    expect_paths({
        {"all of it", {8, 6}, sliced(0, 0, 32, {32, 6}), {gathered}},
        {"the first half", {8, 6}, sliced(0, 0, 16, {16, 6}), {gathered + ", chunk to 0 in 2: 16x6"}},
        {"the last piece", {8, 6}, sliced(0, 24, 32, {8, 6}), {gathered + ", chunk to 0 in 4: 8x6"}},
        {"columns", {8, 6}, sliced(-1, 3, 6, {32, 3}), {gathered + ", chunk to 1 in 2: 32x3"}},
        {"a single row", {8, 6}, sliced(0, 3, 4, {1, 6}), {gathered + ", chunk to 0 in 32: 1x6"}},
        {"no piece of equal ones", {8, 6}, sliced(0, 5, 10, {5, 6}), {gathered}},
        {"between two pieces", {8, 6}, sliced(0, 4, 12, {8, 6}), {gathered}},
        {"every other row", {8, 6}, sliced(0, 0, 32, {16, 6}, 2), {gathered}},
        {"from the end", {8, 6}, sliced(0, -8, 32, {8, 6}), {gathered}},
        {"behind the end", {8, 6}, sliced(0, 40, 48, {8, 6}), {gathered}},
        {"nothing", {8, 6}, sliced(0, 8, 8, {0, 6}), {gathered}},
        {"along a dimension that is not there", {8, 6}, sliced(2, 0, 16, {16, 6}), {gathered}},
        {"of a parameter",
         {8, 6},
         [](auto& s, NodeId p) {
             s.slice(p, 0, 0, 4, {4, 6});
         },
         {}},
        {"of a sum",
         {8, 6},
         [](auto& s, NodeId p) {
             s.slice(s.reduce(p, {8, 6}), 0, 0, 4, {4, 6});
         },
         {"all_reduce in 4: 8x6, chunk to 0 in 2: 4x6"}},
        {"of scattered rows' columns",
         {8, 6},
         [](auto& s, NodeId p) {
             s.slice(s.scatter(p, 4, {2, 6}), 1, 0, 3, {2, 3});
         },
         {"reduce_scatter to 0 in 4: 2x6, chunk to 1 in 2: 2x3"}},
        {"padding of a gather", {8, 6}, sliced(0, 0, 30, {30, 6}), {"all_gather from 0 in 4: 30x6"}},
    });
}

}  // namespace overlap::test
