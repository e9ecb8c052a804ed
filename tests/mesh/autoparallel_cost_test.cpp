#include "core/mesh/autoparallel_cost.h"

#include <gtest/gtest.h>

#include "tests/mesh/autoparallel_goldens.h"
#include "tests/mesh/problem_of.h"

namespace overlap {
namespace {

using nlohmann::json;
using test::problem_of;

MeshCollectiveTime collective_time_of(const json& golden, const DeviceMesh& mesh) {
    if (golden.at("nccl").is_null()) return torch_collective_time(mesh, torch_topology(mesh));
    return nccl_collective_time(mesh, find_nccl_config(golden.at("nccl").get<std::string>()));
}

TEST(AutoparallelCost, RedistributionsCostWhatAutoparallelSays) {
    int infinite = 0, finite = 0;
    for (const json& golden : test::autoparallel_cases("costs.json")) {
        SCOPED_TRACE(golden.dump());
        const DeviceMesh mesh{golden.at("mesh_shape").get<Extents>(), {}, golden.at("devices_per_host")};
        const Extents shape = golden.at("shape").get<Extents>();
        const LaidOutTensor tensor{{shape, "float32", golden.at("element_bytes")},
                                   has_contiguous_strides(shape, golden.at("strides").get<Extents>())};
        const AutoparallelMachine machine{collective_time_of(golden, mesh),
                                          gpu_memory_bandwidth(golden.at("gpu").get<std::string>())};
        const auto source = test::golden_placements(golden.at("source"), mesh.shape.size());
        const auto target = test::golden_placements(golden.at("target"), mesh.shape.size());
        const auto cost = [&](const std::vector<int>& order) {
            return autoparallel_cost_us(source, target, mesh, tensor, machine, order);
        };
        const double expected = test::golden_number(golden.at("cost_us"));
        EXPECT_PRED2(test::agrees, cost(golden.at("order").get<std::vector<int>>()), expected);
        EXPECT_PRED2(test::agrees, cost(autoparallel_visiting_order(source, target)),
                     test::golden_number(golden.at("strategy_cost_us")));
        ++(std::isinf(expected) ? infinite : finite);
    }
    EXPECT_GT(infinite, 50);
    EXPECT_GT(finite, 300);
}

TEST(AutoparallelCost, SumsOnBothMeshDimensionsAreScatteredInnermostFirst) {
    const std::vector<Placement> sums(2, Placement::partial(ReduceOp::sum)), shards(2, Placement::shard(0));
    EXPECT_EQ(autoparallel_visiting_order(sums, shards), (std::vector<int>{1, 0}));
    EXPECT_EQ(autoparallel_visiting_order(shards, sums), (std::vector<int>{0, 1}));
    const std::vector<Placement> three(3, Placement::partial(ReduceOp::sum));
    EXPECT_EQ(autoparallel_visiting_order(three, std::vector<Placement>(3, Placement::shard(0))),
              (std::vector<int>{0, 1, 2}));
}

TEST(AutoparallelCost, ContiguousMeansRowMajorUpToSizesOfOne) {
    EXPECT_TRUE(has_contiguous_strides({4, 3}, {3, 1}));
    EXPECT_FALSE(has_contiguous_strides({4, 3}, {1, 4}));
    EXPECT_TRUE(has_contiguous_strides({4, 1, 3}, {3, 99, 1}));
    EXPECT_TRUE(has_contiguous_strides({2, 0, 3}, {3, 3, 1}));
    EXPECT_TRUE(has_contiguous_strides({}, {}));
}

TEST(AutoparallelCost, SmallCopiesCostTheLaunchOfAKernel) {
    const double bandwidth = gpu_memory_bandwidth("NVIDIA H100 80GB HBM3");
    EXPECT_EQ(read_write_time_us(1024, bandwidth), 7.0);
    EXPECT_DOUBLE_EQ(read_write_time_us(bandwidth, bandwidth), 1e6 / 0.70);
}

TEST(AutoparallelCost, BadInputIsToldInASentence) {
    EXPECT_EQ(problem_of([] { gpu_memory_bandwidth("NVIDIA H200"); }),
              "GPU \"NVIDIA H200\": autoparallel does not know its memory's bandwidth");
    EXPECT_EQ(problem_of([] {
                  has_contiguous_strides({4, 3}, {1});
              }),
              "strides of a tensor: 1 strides for 2 dimensions");
    const DeviceMesh mesh{{2, 4}, {}, 8};
    const LaidOutTensor tensor{{{64, 48}}, true};
    const AutoparallelMachine machine{torch_collective_time(mesh, torch_topology(mesh)), 1e12};
    const auto cost = [&](std::size_t placements, const std::vector<int>& order, const AutoparallelMachine& asked) {
        return problem_of([&] {
            autoparallel_cost_us(std::vector<Placement>(placements, Placement::shard(0)), std::vector<Placement>(2),
                                 mesh, tensor, asked, order);
        });
    };
    EXPECT_EQ(cost(3, {0, 1}, machine), "source placements: has 3 entries for a mesh of 2 dimensions");
    EXPECT_EQ(cost(2, {0}, machine), "visiting order: has 1 entries for a mesh of 2 dimensions");
    EXPECT_EQ(cost(2, {1, 1}, machine), "visiting order: lacks mesh dimension 0");
    EXPECT_EQ(cost(2, {0, 1}, {machine.collective_time_us, 0.0}), "memory bandwidth: must be above 0 bytes a second");
}

}  // namespace
}  // namespace overlap
