// Tables of measured times, from files.

#include "core/io/measured_times_file.h"

#include <gtest/gtest.h>

#include "tests/support/problem_of.h"

namespace overlap::test {

namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

const char* const table_text = R"json({"series": [
    {"collective": "all_gather", "mesh_dims": ["tp"], "points": [[0, 1.0], [4000, 5.0]]},
    {"collective": "all_reduce", "mesh_dims": [1, 0], "points": [[0, 7], [8000, 15]]}]})json";

DeviceMesh mesh_of(std::vector<std::string> names) {
    return {{2, 4}, std::move(names), 8};
}

std::string refusal(const std::string& series) {
    return problem_of([&] { read_measured_table_text("{\"series\": " + series + "}", "t"); });
}

}  // namespace

TEST(MeasuredTimesFile, PricesByNameAndByNumberElseByTorch) {
    const MeasuredTable table = read_measured_table_text(table_text, "t");
    ASSERT_EQ(table.series.size(), 2U);
    const DeviceMesh mesh = mesh_of({"dp", "tp"});
    const auto times = table_times(table, mesh);
    const std::vector<int> inner = {1}, outer = {0}, both = {0, 1};
    EXPECT_NEAR(times->time(StepKind::all_gather, inner, 500 / gib), 3.0, 1e-9);
    EXPECT_NEAR(times->time(StepKind::all_reduce, both, 4000 / gib), 11.0, 1e-9);
    EXPECT_EQ(times->time(StepKind::all_gather, outer, 0.25),
              torch_times(mesh)->time(StepKind::all_gather, outer, 0.25));
}

TEST(MeasuredTimesFile, RefusesMeshesThatItDoesNotKnow) {
    const MeasuredTable table = read_measured_table_text(
        R"json({"series": [{"collective": "permute", "mesh_dims": ["ep"], "points": [[8, 1.0]]}]})json", "t");
    EXPECT_EQ(problem_of([&] {
                  table_times(table, mesh_of({"dp", "tp"}));
              }),
              "t: no series is over mesh dimensions of this mesh (dp, tp)");
    EXPECT_EQ(problem_of([&] { table_times(table, mesh_of({"dp", "ep"})); }), "accepted");
}

TEST(MeasuredTimesFile, RefusesWithThePlace) {
    EXPECT_EQ(refusal("[]"), "t: series: nothing was measured");
    EXPECT_EQ(refusal("3"), "t: series: expected a list, found the integer 3");
    EXPECT_EQ(problem_of([] { read_measured_table_text("3", "t"); }),
              "t: a table of measured times is an object with series");
    EXPECT_EQ(problem_of([] { read_measured_table_text("{}", "t"); }), "t: the field \"series\" is missing");
    EXPECT_EQ(refusal(R"json([{"collective": "all_gathr", "mesh_dims": [0], "points": [[1, 1]]}])json"),
              "t: series[0].collective: \"all_gathr\" is no collective that moves a tensor; nearest: \"all_gather\"");
    EXPECT_EQ(refusal(R"json([{"collective": "all_gather", "mesh_dims": [0, 0], "points": [[1, 1]]}])json"),
              "t: series[0].mesh_dims[1]: \"0\" stands there twice");
    EXPECT_EQ(refusal(R"json([{"collective": "all_gather", "mesh_dims": [0], "points": [[2, 1], [1, 1]]}])json"),
              "t: series[0]: its points must ascend in bytes; 1 does not");
    EXPECT_EQ(refusal(R"json([{"collective": "all_gather", "mesh_dims": [0], "points": [[2]]}])json"),
              "t: series[0].points[0]: expected bytes and microseconds");
    EXPECT_EQ(refusal(R"json([{"collective": "all_gather", "mesh_dims": [0], "points": [[1, 1]]},
                              {"collective": "all_gather", "mesh_dims": [0], "points": [[1, 2]]}])json"),
              "t: series[1]: a second series of all_gather over these mesh dimensions");
}

}  // namespace overlap::test
