#include "core/exports/job_result.h"

#include <gtest/gtest.h>

#include "core/exports/job_plan.h"
#include "core/pipeline/evaluation.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

Plan blocks_plan() {
    Plan plan;
    plan.buckets = parse_bucket_entries("layers.[0-5], norm+lm_head");
    plan.pipeline = {{"joint_transformer_block_bucketing_reordering_pass"}};
    return plan;
}

/// A node of a section with what it refers to by number.
Json expanded(Json node, const Json& section) {
    for (const auto& [field, table] : {std::pair("outputs", "outputs"), std::pair("modules", "modules")})
        if (node.contains(field)) node[field] = section[table][node[field].get<std::size_t>()];
    return node;
}

/// Changes are parts of the whole section: the same nodes stay, change and are new, in the same order.
TEST(JobChanges, AreThoseOfTheSection) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Plan plan = blocks_plan();
    const auto result = evaluate(graph, plan);
    const Json section = job_section(plan, *result);
    const Json changes = job_changes(plan, *result);
    EXPECT_EQ(changes["pipeline"], section["pipeline"]);
    EXPECT_EQ(changes["process_groups"], section["process_groups"]);
    EXPECT_EQ(changes["result"]["users_order"], section["result"]["users_order"]);
    const Json &whole = section["result"]["order"], &order = changes["result"]["order"];
    ASSERT_EQ(order.size(), whole.size());
    std::size_t with_memory = 0;
    for (std::size_t item = 0; item < order.size(); ++item) {
        Json made = order[item];
        if (made.is_object() && !made.contains("from") && made.contains("outputs")) {
            EXPECT_EQ(made["memory"].size(), changes["outputs"][made["outputs"].get<std::size_t>()].size());
            made.erase("memory");
            ++with_memory;
        }
        EXPECT_EQ(expanded(made, changes), expanded(whole[item], section)) << item;
    }
    EXPECT_GT(with_memory, 100u);
    for (const Json& before : changes["before"])
        EXPECT_EQ(expanded(before[1], changes), expanded(section["input"][before[0].get<std::size_t>()], section));
}

TEST(JobChanges, OfNothingAreOneRange) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Json changes = job_changes(Plan(), *execute(resolve(graph, Plan())));
    EXPECT_EQ(changes["result"]["order"], Json::parse("[[0, " + std::to_string(graph->node_count()) + "]]"));
    EXPECT_TRUE(changes["before"].empty());
}

TEST(JobChanges, OfARefusedPlanAreRefused) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = blocks_plan();
    plan.buckets = parse_bucket_entries("layers.0, layers.0.attention");
    EXPECT_THROW(job_changes(plan, *execute(resolve(graph, plan))), InputError);
}

}  // namespace
}  // namespace overlap
