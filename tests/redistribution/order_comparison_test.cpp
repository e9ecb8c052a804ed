// What other device orders would save, on graphs that torch's DTensor wrote.

#include "core/redistribution/order_comparison.h"

#include <gtest/gtest.h>

#include "core/cost/cost_model.h"
#include "tests/redistribution/redistribution_graphs.h"

namespace overlap::test {

namespace {

OrderComparison comparison_of(const Json& document) {
    return compare_chains(*graph_of(document)).comparisons.at(0);
}

/// Milliseconds over the traced graphs' links: the outer dimension's and the inner one's.
double outer_ms(double bytes) {
    return 0.06 + bytes / 40e9 * 1e3;
}
double inner_ms(double bytes) {
    return 0.02 + bytes / 180e9 * 1e3;
}

constexpr double row_bytes = 48 * 4;

}  // namespace

TEST(OrderComparison, ReversedOrderNeedsOneGatherAndOneScatter) {
    // The seed's case: S(0)S(0) to R S(0).
    const OrderComparison comparison = comparison_of(redistribution_document("fsdp_tp"));
    ASSERT_EQ(comparison.obstacle, "");
    ASSERT_EQ(comparison.alternatives.size(), 2u);
    const OrderAlternative& best = comparison.alternatives[0];
    EXPECT_EQ(to_text(best.storage), "S(0)[1]S(0)[0]");
    EXPECT_FALSE(best.current);
    EXPECT_EQ(path_text(best.chains[0].torch.plan), "S(0)[1]S(0)[0]->RS(0)");
    EXPECT_EQ(path_text(best.chains[1].torch.plan), "P(sum)S(0)->S(0)[1]S(0)[0]");
    const double current =
        inner_ms(32 * row_bytes) + outer_ms(64 * row_bytes) + inner_ms(64 * row_bytes) + outer_ms(64 * row_bytes);
    EXPECT_NEAR(comparison.current_ms, current, 4e-6);
    EXPECT_NEAR(best.torch_ms, 2 * outer_ms(16 * row_bytes), 2e-6);
    EXPECT_NEAR(best.saved_ms, current - 2 * outer_ms(16 * row_bytes), 6e-6);
    EXPECT_EQ(best.saved_bytes, static_cast<std::int64_t>((32 + 64 + 64 + 64 - 2 * 16) * row_bytes));
    const OrderAlternative& other = comparison.alternatives[1];
    EXPECT_TRUE(other.current);
    EXPECT_EQ(other.saved_ms, 0.0);
    EXPECT_EQ(other.saved_bytes, 0);
    // One exchange on the merged communicator beats torch's own way from the order that the graph has.
    EXPECT_LT(other.optimal_ms, other.torch_ms);
}

TEST(OrderComparison, PricesTheGraphAsItsSimulationDoes) {
    for (const std::string name : {"fsdp_2d", "fsdp_3d", "fsdp_columns", "fsdp_tp", "fsdp_uneven", "hsdp"}) {
        SCOPED_TRACE(name);
        const auto graph = graph_of(redistribution_document(name));
        const ComparedChains compared = compare_chains(*graph);
        ASSERT_EQ(compared.comparisons.size(), 1u);
        double simulated = 0;
        for (const RedistributionChain& chain : compared.chains.parameters[0].chains) simulated += chain.time_ms;
        EXPECT_NEAR(compared.comparisons[0].current_ms, simulated, 1e-9);
        EXPECT_GT(simulated, 0);
        // Torch wrote these graphs, so its path from their own order is theirs, unless it chose the planner by the
        // default order and the graph planner would have done otherwise; never does the order alone cost more.
        const OrderAlternative* current = compared.comparisons[0].find(compared.chains.parameters[0].storage);
        ASSERT_NE(current, nullptr);
        EXPECT_TRUE(current->current);
        EXPECT_NEAR(current->torch_ms, simulated, 1e-9);
        EXPECT_EQ(current->saved_ms, 0.0);
        EXPECT_EQ(current->saved_bytes, 0);
    }
}

TEST(OrderComparison, TheOptimalPathIsNeverDearerThanTorchs) {
    for (const std::string name : {"fsdp_2d", "fsdp_3d", "fsdp_columns", "fsdp_tp", "fsdp_tp_square", "hsdp"}) {
        SCOPED_TRACE(name);
        const OrderComparison comparison = comparison_of(redistribution_document(name));
        for (const OrderAlternative& alternative : comparison.alternatives) {
            EXPECT_LE(alternative.optimal_ms, alternative.torch_ms + 1e-9) << to_text(alternative.storage);
        }
    }
}

TEST(OrderComparison, RanksAllOrdersOfThreeDimensions) {
    const OrderComparison comparison = comparison_of(redistribution_document("fsdp_3d"));
    ASSERT_EQ(comparison.alternatives.size(), 6u);
    EXPECT_EQ(to_text(comparison.alternatives[0].storage), "S(0)[2]S(0)[0]S(0)[1]");
    EXPECT_GT(comparison.alternatives[0].saved_ms, 0);
    for (std::size_t index = 1; index < 6; ++index) {
        EXPECT_LE(comparison.alternatives[index - 1].torch_ms, comparison.alternatives[index].torch_ms);
    }
}

TEST(OrderComparison, MergesCollectivesOnlyWhereTheGraphHasAGroupForIt) {
    Json document = redistribution_document("fsdp_2d");
    const OrderComparison apart = comparison_of(document);
    const OrderAlternative* now = nullptr;
    for (const OrderAlternative& alternative : apart.alternatives) now = alternative.current ? &alternative : now;
    ASSERT_NE(now, nullptr);
    EXPECT_EQ(path_text(now->chains[0].torch.plan), "S(0)[0]S(0)[1]->S(0)R->RR");
    // Without a link of its own a merged communicator is as slow as its slowest dimension.
    EXPECT_EQ(path_text(now->chains[0].optimal.plan), "S(0)[0]S(0)[1]-->RR");
    EXPECT_NEAR(now->chains[0].optimal.time_ms, outer_ms(64 * row_bytes), 1e-6);

    document["process_groups"].push_back(
        {{"name", "world"}, {"ranks", {0, 1, 2, 3, 4, 5, 6, 7}}, {"rank", 5}, {"description", "default_pg"}});
    document["cost_model"]["links"].push_back(
        {{"process_group", "world"}, {"latency_ms", 0.03}, {"bytes_per_s", 50e9}});
    const OrderComparison merged = comparison_of(document);
    for (const OrderAlternative& alternative : merged.alternatives) {
        if (!alternative.current) continue;
        EXPECT_EQ(path_text(alternative.chains[0].torch.plan), "S(0)[0]S(0)[1]-->RR");
        EXPECT_NEAR(alternative.chains[0].torch.time_ms, 0.03 + 64 * row_bytes / 50e9 * 1e3, 1e-6);
        EXPECT_EQ(alternative.chains[0].torch.bytes, static_cast<std::int64_t>(64 * row_bytes));
    }
}

TEST(OrderComparison, SaysWhatTimesLack) {
    Json document = redistribution_document("fsdp_tp");
    const std::string group = document["cost_model"]["links"][0]["process_group"];
    for (Json& node : document["nodes"]) node["estimate_ms"] = 0.5;
    document["cost_model"]["links"].erase(0);
    EXPECT_EQ(comparison_of(document).obstacle, "the cost model has no link for process group \"" + group + "\"");
    document.erase("cost_model");
    EXPECT_EQ(comparison_of(document).obstacle,
              "the graph has no cost_model, so the time of a node without estimate_ms is not known");
}

}  // namespace overlap::test
