#include <gtest/gtest.h>

#include "core/mesh/nccl/nccl_cost_model.h"
#include "core/mesh/nccl/nccl_times.h"
#include "core/mesh/sent_bytes.h"
#include "core/mesh/sharding_text.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

RedistributionPlan one_step(const char* source, const char* target, StepKind kind, std::vector<int> mesh_dims) {
    RedistributionPlan plan{{parse_state(source, 2), parse_state(target, 2)}, {}};
    RedistributionStep step;
    step.mesh_dims = std::move(mesh_dims);
    step.kind = kind;
    plan.steps.push_back(step);
    return plan;
}

TEST(SentBytes, AreThoseOfARing) {
    const DeviceMesh mesh{{2, 4}, {}};
    const MeshTensor tensor = MeshTensor::of({16, 8}, "float32");  // 512 bytes
    const auto sent = [&](const char* source, const char* target, StepKind kind, std::vector<int> mesh_dims) {
        return sent_bytes(one_step(source, target, kind, std::move(mesh_dims)), mesh, tensor);
    };
    EXPECT_EQ(sent("RS(0)", "RR", StepKind::all_gather, {1}), 128 * 3);
    EXPECT_EQ(sent("S(0)S(0)", "RR", StepKind::all_gather, {0, 1}), 64 * 7);
    EXPECT_EQ(sent("RS(0)", "RS(1)", StepKind::all_to_all, {1}), 128 * 3 / 4);
    EXPECT_EQ(sent("RP(sum)", "RS(1)", StepKind::reduce_scatter, {1}), 512 * 3 / 4);
    EXPECT_EQ(sent("P(sum)R", "RR", StepKind::all_reduce, {0}), 512);
    EXPECT_EQ(sent("S(0)[0]S(0)[1]", "S(0)[1]S(0)[0]", StepKind::permute, {0, 1}), 64);
    EXPECT_EQ(sent("RR", "RS(1)", StepKind::chunk, {1}), 0);
}

TEST(SentBytes, CountTheLargestPart) {
    const DeviceMesh mesh{{2, 4}, {}};
    const MeshTensor tensor = MeshTensor::of({5}, "int8");  // 2, 2, 1, 0 along the second mesh dimension
    EXPECT_EQ(sent_bytes(one_step("RS(0)", "RR", StepKind::all_gather, {1}), mesh, tensor), 2 * 3);
}

TEST(NcclTimes, OneMeshDimensionCostsWhatTheModelSays) {
    const DeviceMesh mesh{{2, 8}, {}};
    const NcclConfig config = find_nccl_config("h100");
    const auto times = nccl_times(mesh, config);
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    const std::int64_t bytes = 1 << 20;
    for (const int mesh_dim : {0, 1}) {
        const NcclTopology topology = nccl_topology(config, mesh.shape, mesh_dim);
        const double local_gib = static_cast<double>(bytes) / gib;
        // All-gathers are priced by what is gathered.
        EXPECT_EQ(times->time(StepKind::all_gather, {&mesh_dim, 1}, local_gib),
                  nccl_time_us(topology, CollectiveKind::all_gather, bytes * topology.ranks));
        EXPECT_EQ(times->time(StepKind::all_reduce, {&mesh_dim, 1}, local_gib),
                  nccl_time_us(topology, CollectiveKind::all_reduce, bytes));
        EXPECT_EQ(times->time(StepKind::permute, {&mesh_dim, 1}, local_gib),
                  times->time(StepKind::all_to_all, {&mesh_dim, 1}, local_gib));
    }
}

TEST(NcclTimes, SeveralMeshDimensionsCostWhatOneOfAllTheirRanksDoes) {
    const NcclConfig config = find_nccl_config("h100");
    const std::vector<int> all = {0, 1, 2};
    const int one = 0;
    const auto nested = nccl_times(DeviceMesh{{2, 4, 2}, {}}, config);
    const auto flat = nccl_times(DeviceMesh{{16}, {}}, config);
    for (const StepKind kind :
         {StepKind::all_gather, StepKind::all_reduce, StepKind::reduce_scatter, StepKind::all_to_all})
        EXPECT_EQ(nested->time(kind, all, 0.25), flat->time(kind, {&one, 1}, 0.25));
    // The outer and the inner one: two of the four ranks share a node, so it is no faster than within one node.
    const std::vector<int> apart = {0, 2};
    const std::vector<int> inner = {1};
    EXPECT_GT(nested->time(StepKind::all_reduce, apart, 0.25), nested->time(StepKind::all_reduce, inner, 0.25));
}

// A node holds the first eight of eighteen ranks: two rows of three and two ranks of the third.
TEST(NcclTimes, RanksOfANodeMayEndWithinARow) {
    const NcclConfig config = find_nccl_config("h100");
    const std::vector<int> both = {0, 1};
    const int first = 0;
    const auto nested = nccl_times(DeviceMesh{{6, 3}, {}}, config);
    const auto flat = nccl_times(DeviceMesh{{18}, {}}, config);
    for (const StepKind kind : {StepKind::all_gather, StepKind::all_reduce, StepKind::all_to_all})
        EXPECT_EQ(nested->time(kind, both, 0.25), flat->time(kind, {&first, 1}, 0.25));
    // One mesh dimension alone is rounded as the model rounds it: two whole rows.
    EXPECT_EQ(nested->time(StepKind::all_reduce, {&first, 1}, 0.25),
              nccl_time_us(nccl_topology(config, {6, 3}, 0), CollectiveKind::all_reduce, std::int64_t{1} << 28));
}

TEST(NcclTimes, AreOfAMesh) {
    EXPECT_EQ(test::problem_of([] { nccl_times(DeviceMesh{}, find_nccl_config("h100")); }),
              "mesh: a mesh has 1 to " + std::to_string(DeviceMesh::dims_limit) + " dimensions, this one has 0");
}

}  // namespace
}  // namespace overlap
