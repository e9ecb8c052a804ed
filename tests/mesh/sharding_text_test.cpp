#include "core/mesh/sharding_text.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace overlap {
namespace {

std::string problem_of(std::string_view text, int mesh_dims) {
    try {
        parse_state(text, mesh_dims);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(ShardingText, WritesPlacesOnlyWhereSeveralMeshDimensionsCutOneTensorDimension) {
    const ShardingState state{
        {Placement::partial(ReduceOp::sum), Placement::shard(1), Placement::shard(1), Placement::replicate()},
        {{1, {2, 1}}}};
    EXPECT_EQ(to_text(state), "P(sum)S(1)[1]S(1)[0]R");
    EXPECT_EQ(to_tensor_centric_text(state), "S(1)[2,1]R[3]P(sum)[0]");
    EXPECT_EQ(parse_state(to_text(state), 4), state);
    EXPECT_EQ(parse_state(to_tensor_centric_text(state), 4), state);
}

TEST(ShardingText, ReadsWhatTheDiscussionsWrite) {
    const ShardingState reversed{{Placement::shard(0), Placement::replicate(), Placement::shard(0)}, {{0, {2, 0}}}};
    EXPECT_EQ(parse_state("S(0)[2,0]R[1]", 3), reversed);
    EXPECT_EQ(parse_state("S(0)<1> R S(0)<0>", 3), reversed);
    EXPECT_EQ(parse_state("S(0)[1]RS(0)[0]", 3), reversed);
    EXPECT_EQ(parse_state("S(0) R S(0)", 3).shard_order, (ShardOrder{{0, {0, 2}}}));
    EXPECT_EQ(parse_state("PS(0)", 2).placements[0], Placement::partial(ReduceOp::sum));
    EXPECT_EQ(parse_state("_S(0, 2)S(1)", 2).placements[0], Placement::strided_shard(0, 2));
    // A bracket behind a tensor dimension that is named once means a mesh dimension.
    EXPECT_EQ(parse_state("S(0)[1]S(1)[0]", 2).placements[0], Placement::shard(1));
}

TEST(ShardingText, SpacesDoNotMatterAndTensorDimensionsAreSorted) {
    EXPECT_EQ(
        parse_state("  S(1)[ 0] S(0)[2, 1]  ", 3),
        (ShardingState{{Placement::shard(1), Placement::shard(0), Placement::shard(0)}, {{0, {2, 1}}, {1, {0}}}}));
    EXPECT_EQ(parse_state("RRRRRR", 6).placements.size(), 6u);
    EXPECT_EQ(to_tensor_centric_text(parse_state("P(bxor)RP(bxor)R", 4)), "R[1,3]P(bxor)[0,2]");
    EXPECT_EQ(to_tensor_centric_text(parse_state("S(1)S(0)", 2)), "S(0)[1]S(1)[0]");
}

TEST(ShardingText, SaysWhatIsWrongWithAText) {
    EXPECT_EQ(problem_of("RRRRRRR", 6),
              "state \"RRRRRRR\": it has more than 6 placements, and no mesh has more dimensions");
    EXPECT_EQ(problem_of("S(0)S(0)", 3), "state \"S(0)S(0)\": it has 2 placements, the mesh has 3 dimensions");
    EXPECT_EQ(problem_of("S(0)[0,0]R[1]", 2), "state \"S(0)[0,0]R[1]\": mesh dimension 0 is there twice");
    EXPECT_EQ(problem_of("S(0)[0,2]R[1]", 2), "state \"S(0)[0,2]R[1]\": mesh dimension 2 does not exist");
    EXPECT_EQ(problem_of("S(0)[0,2]", 3), "state \"S(0)[0,2]\": mesh dimension 1 is missing");
    EXPECT_EQ(problem_of("S(0)[0]S(0)[0]", 2),
              "state \"S(0)[0]S(0)[0]\": the places of tensor dimension 0 are 0 to 1, each once");
    EXPECT_EQ(problem_of("S(0)[0]S(0)", 2),
              "state \"S(0)[0]S(0)\": S(0) of mesh dimension 1 does not say its place in the order");
    EXPECT_EQ(
        problem_of("P(mean)", 1),
        "placement \"P(mean)\": the operation of a partial is one of sum, avg, min, max, product, band, bor, bxor");
    EXPECT_EQ(problem_of("S(0)[0]S(0)[2]", 2),
              "state \"S(0)[0]S(0)[2]\": the places of tensor dimension 0 are 0 to 1, each once");
    EXPECT_EQ(problem_of("S(0)[0,1", 2), "state \"S(0)[0,1\": a closing bracket is missing");
    EXPECT_EQ(problem_of("S(0)<0]S(0)<1>", 2), "state \"S(0)<0]S(0)<1>\": a closing bracket is missing");
    EXPECT_EQ(problem_of("S(0)[x]", 1), "state \"S(0)[x]\": expected a number in the brackets");
    EXPECT_EQ(problem_of("S(0)[-1]", 1), "state \"S(0)[-1]\": expected a number in the brackets");
    EXPECT_EQ(problem_of("S(0)[0]RP(sum)[1]", 2), "state \"S(0)[0]RP(sum)[1]\": R does not say its mesh dimensions");
    EXPECT_EQ(problem_of("S(0)[0]R[2]S(0)[1]", 3), "state \"S(0)[0]R[2]S(0)[1]\": tensor dimension 0 is there twice");
    EXPECT_EQ(problem_of("S(0)[0,1]S(0)[2]", 3), "state \"S(0)[0,1]S(0)[2]\": tensor dimension 0 is there twice");
    EXPECT_EQ(problem_of("S(0)[0]R", 2), "state \"S(0)[0]R\": R does not say its mesh dimensions");
    EXPECT_EQ(problem_of("S(0)<1>R", 2), "state \"S(0)<1>R\": the places of tensor dimension 0 are 0 to 0, each once");
    EXPECT_EQ(problem_of("", 1), "state \"\": a state has one placement for each mesh dimension");
}

TEST(ShardingText, WritesSpecificationsAsTorchDoes) {
    EXPECT_EQ(spec_text(parse_state("S(0)R", 2), MeshTensor::of({64, 48}, "float32")), "Spec(f32[64, 48](S(0)R))");
    EXPECT_EQ(spec_text(parse_state("R", 1), MeshTensor::of({}, "bool")), "Spec(b8[](R))");
    MeshTensor unknown;
    unknown.shape = {3};
    unknown.dtype = "float7";
    EXPECT_EQ(spec_text(parse_state("R", 1), unknown), "Spec(float7[3](R))");
}

}  // namespace
}  // namespace overlap
