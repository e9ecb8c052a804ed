// Layouts of all ranks, and orders written as strided shards, as torch has them.

#include <gtest/gtest.h>

#include "core/mesh/planners/strided_order.h"
#include "core/mesh/shard_layout.h"
#include "core/mesh/sharding_text.h"
#include "tests/mesh/redistribution_goldens.h"

namespace overlap {
namespace {

TEST(LayoutGoldens, EveryRankHoldsItsSlices) {
    for (const auto& file : test::golden_files_with("rank_offset_size"))
        for (const nlohmann::json& golden : test::read_goldens(file).cases) {
            const DeviceMesh mesh = test::mesh_in(golden);
            const ShardingState state = test::state_in(golden.at("state"));
            nlohmann::json ranks = nlohmann::json::array();
            for (std::int64_t rank = 0; rank < mesh.rank_count(); ++rank) {
                const auto parts = local_parts(state, mesh, test::tensor_in(golden).shape, mesh.coordinate(rank));
                nlohmann::json offsets = nlohmann::json::array(), sizes = nlohmann::json::array();
                for (const DimensionPart& part : parts) {
                    offsets.push_back(part.front().begin);
                    sizes.push_back(size_of(part));
                }
                ranks.push_back({offsets, sizes});
            }
            EXPECT_EQ(ranks, golden.at("rank_offset_size")) << golden.at("id");
            EXPECT_EQ(to_text(state), golden.at("state").at("text"));
        }
}

TEST(StridedOrderGoldens, OrdersAreWrittenAndRead) {
    for (const auto& file : test::golden_files_with("strided"))
        for (const nlohmann::json& golden : test::read_goldens(file).cases) {
            const DeviceMesh mesh = test::mesh_in(golden);
            std::vector<Placement> strided;
            for (const nlohmann::json& placement : golden.at("strided"))
                strided.push_back(parse_placement(placement.get<std::string>()));
            const std::optional<ShardingState> decoded = decode_strided_placements(strided, mesh);
            nlohmann::json order = nullptr;
            if (decoded) {
                order = nlohmann::json::array();
                for (const ShardOrderEntry& entry : decoded->shard_order)
                    order.push_back({entry.tensor_dim, entry.mesh_dims});
            }
            EXPECT_EQ(order, golden.at("decoded")) << golden;
            // Cases of the inverse alone are strided shards that encode no order.
            if (!golden.contains("text")) continue;
            const ShardingState state = parse_state(golden.at("text").get<std::string>(), mesh.dims());
            EXPECT_EQ(strided_placements(state, mesh), strided) << golden;
            EXPECT_EQ(decoded == state, golden.at("roundtrip").get<bool>()) << golden;
        }
}

}  // namespace
}  // namespace overlap
