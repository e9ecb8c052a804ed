#include "core/mesh/device_mesh.h"

#include <gtest/gtest.h>

#include "tests/support/problem_of.h"

namespace overlap::test {

namespace {

std::string problem(const DeviceMesh& mesh) {
    return problem_of([&] { mesh.validate(); });
}

std::string tensor_problem(Extents shape, std::string dtype = "int8") {
    return problem_of([&] { MeshTensor::of(std::move(shape), std::move(dtype)); });
}

}  // namespace

TEST(DeviceMesh, TheLastDimensionRunsFastest) {
    const DeviceMesh mesh{{2, 3, 4}, {}};
    EXPECT_EQ(mesh.rank_count(), 24);
    EXPECT_EQ(mesh.coordinate(0), (Extents{0, 0, 0}));
    EXPECT_EQ(mesh.coordinate(3), (Extents{0, 0, 3}));
    EXPECT_EQ(mesh.coordinate(17), (Extents{1, 1, 1}));
    EXPECT_EQ(mesh.coordinate(23), (Extents{1, 2, 3}));
}

TEST(DeviceMesh, DimensionsHaveTheirNamesOrTheirNumbers) {
    EXPECT_EQ((DeviceMesh{{2, 2}, {"dp", "tp"}}.dim_name(1)), "tp");
    EXPECT_EQ((DeviceMesh{{2, 2}, {}}.dim_name(1)), "1");
}

TEST(DeviceMesh, SaysWhatIsWrong) {
    EXPECT_EQ(problem({{1, 1, 1, 1, 1, 1}, {}}), "accepted");
    EXPECT_EQ(problem({{1, 1, 1, 1, 1, 1, 1}, {}}), "mesh: a mesh has 1 to 6 dimensions, this one has 7");
    EXPECT_EQ(problem(DeviceMesh{}), "mesh: a mesh has 1 to 6 dimensions, this one has 0");
    EXPECT_EQ(problem({{2, 0}, {}}), "mesh: every mesh dimension holds at least one rank, found 0");
    EXPECT_EQ(problem({{1 << 16, 1 << 15}, {}}), "accepted");
    EXPECT_EQ(problem({{1 << 16, 1 << 15, 2}, {}}), "mesh: a mesh holds at most 2^31 ranks");
    EXPECT_EQ(problem({{2, 2}, {"dp"}}), "mesh: 1 name for 2 mesh dimensions");
    EXPECT_EQ(problem({{2, 2, 2}, {"dp", "tp", "pp"}}), "accepted");
    EXPECT_EQ(problem({{2, 2, 2}, {"dp", "tp", "dp"}}), "mesh: two mesh dimensions are called \"dp\"");
    EXPECT_EQ(problem({{2, 2}, {"dp", "dp"}}), "mesh: two mesh dimensions are called \"dp\"");
    EXPECT_EQ(problem({{2}, {}, 0}), "accepted");
    EXPECT_EQ(problem({{2}, {}, -1}), "mesh: devices of a host are at least 0, found -1");
}

TEST(MeshTensor, HasTheBytesOfItsElements) {
    EXPECT_EQ(MeshTensor::of({3, 5}, "bfloat16").bytes(), 30);
    EXPECT_EQ(MeshTensor::of({}, "float64").bytes(), 8);
    EXPECT_EQ(MeshTensor::of({3, 0}, "float64").bytes(), 0);
}

TEST(MeshTensor, SaysWhatIsWrong) {
    EXPECT_EQ(tensor_problem({2}, "float7"), "tensor: torch has no dtype \"float7\"");
    EXPECT_EQ(tensor_problem(Extents(32, 1)), "accepted");
    EXPECT_EQ(tensor_problem(Extents(33, 1)), "tensor: a tensor has at most 32 dimensions, this one has 33");
    EXPECT_EQ(tensor_problem({2, -1}), "tensor: a size is at least 0, found -1");
    EXPECT_EQ(tensor_problem({std::int64_t{1} << 31, std::int64_t{1} << 31}), "accepted");
    EXPECT_EQ(tensor_problem({std::int64_t{1} << 31, std::int64_t{1} << 31, 2}),
              "tensor: it is larger than 2^62 bytes");
    // Whatever its other sizes are, nothing of it is stored.
    EXPECT_EQ(tensor_problem({std::int64_t{1} << 40, 0, std::int64_t{1} << 40}), "accepted");
    MeshTensor without_bytes;
    without_bytes.element_bytes = 0;
    EXPECT_EQ(problem_of([&] { without_bytes.validate(); }), "tensor: an element has at least one byte, found 0");
}

}  // namespace overlap::test
