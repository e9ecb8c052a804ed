#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "core/graph/graph_builder.h"
#include "core/io/plan/option_json.h"
#include "core/plan/block_buckets.h"
#include "core/plan/plan.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

std::string started(const std::string& name, std::size_t blocks, bool with_graph = true) {
    const auto graph = test_graph(name);
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    return option_json(module_lists(one_bucket_per_blocks(tree, blocks, with_graph ? graph.get() : nullptr))).dump();
}

TEST(PlanStarts, AreTorchtitansForDenseModels) {
    EXPECT_EQ(started("llama3_debugmodel_fsdp8.prebucket", 1),
              R"(["tok_embeddings","layers.0","layers.1","layers.2","layers.3","layers.4","layers.5",)"
              R"(["norm","lm_head","loss"]])");
    EXPECT_EQ(started("llama3_debugmodel_fsdp8.prebucket", 4),
              R"(["tok_embeddings",["layers.0","layers.1","layers.2","layers.3"],["layers.4","layers.5"],)"
              R"(["norm","lm_head","loss"]])");
}

TEST(PlanStarts, LeaveOutTheModulesOfParametrisations) {
    const std::string expected =
        R"(["tok_embeddings","layers.0","layers.1","layers.2","layers.3","layers.4","layers.5",["norm","lm_head"]])";
    EXPECT_EQ(started("llama3_debugmodel_fsdp8_aot_fw", 1), expected);
    EXPECT_EQ(started("llama3_debugmodel_fsdp8_aot_bw", 1), expected);
}

TEST(PlanStarts, SplitBlocksWhoseExpertsAreSharded) {
    const std::string lists = started("deepseek_v3_debugmodel_fsdp8_ep4.prebucket", 1);
    EXPECT_TRUE(lists.starts_with(
        R"(["tok_embeddings","layers.0",["layers.1.attention_norm","layers.1.attention","layers.1.ffn_norm",)"
        R"("layers.1.moe.router","layers.1.moe.shared_experts"],"layers.1.moe.routed_experts.inner_experts",)"))
        << lists;
    const std::string by_names = started("deepseek_v3_debugmodel_fsdp8_ep4.prebucket", 1, false);
    EXPECT_TRUE(by_names.starts_with(R"(["tok_embeddings","layers.0","layers.1",)")) << by_names;
}

/// The trainer's own plans, as its bucketing pass was given them, for every real graph that is at hand.
TEST(PlanStarts, AreThePlansOfTheTrainer) {
    const std::string folder = std::string(OVERLAP_SHARED_DATA) + "/goldens/";
    std::ifstream file(folder + "manifest.json");
    if (!file) return;  // the project stands alone; where the other graphs are present, they are tried too
    const Json manifest = Json::parse(file);
    std::set<std::string> compared;
    for (const Json& golden : manifest["goldens"]) {
        const Json& step = golden["pipeline"][0];
        const std::string name = golden["graph"];
        if (step["pass"] != "joint_transformer_block_bucketing_reordering_pass" || !compared.insert(name).second)
            continue;
        if (name.find(".pipeline-") == std::string::npos) continue;  // others are plans made for the test of the pass
        const auto graph = read_graph_file(folder + golden["graph_file"].get<std::string>());
        const ModuleTree tree(*graph, ModuleSource::module_fqn);
        EXPECT_EQ(option_json(module_lists(one_bucket_per_block(tree, graph.get()))).dump(),
                  step["options"]["module_bucket_plans"].dump())
            << name;
    }
    EXPECT_GE(compared.size(), 10u);
}

TEST(PlanStarts, HaveNothingForGraphsWithoutModules) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    EXPECT_TRUE(one_bucket_per_block(ModuleTree(*graph, ModuleSource::module_stack), graph.get()).empty());
}

TEST(PlanStarts, PassTheirOwnCheck) {
    for (const char* name : {"llama3_debugmodel_fsdp8.prebucket", "deepseek_v3_debugmodel_fsdp8_ep4.prebucket",
                             "llama3_debugmodel_fsdp8_aot_fw", "llama3_debugmodel_fsdp8_aot_bw"}) {
        const auto graph = test_graph(name);
        const ModuleTree tree(*graph, preferred_module_source(*graph));
        for (const Problem& problem : check_buckets(*graph, tree, one_bucket_per_block(tree, graph.get()))) {
            EXPECT_NE(problem.severity, Severity::error) << name << ": " << problem.message;
        }
    }
}

/// A plan of buckets of `sizes` blocks for a model whose modules are used in this order.
std::string started_with(std::initializer_list<const char*> modules, std::vector<std::size_t> sizes = {1}) {
    GraphBuilder builder;
    for (const char* module : modules) {
        NodeMetadata metadata;
        metadata.module_fqn = builder.intern(module);
        std::string name(module);
        std::ranges::replace(name, '.', '_');
        builder.call(name, "aten.relu.default", {}, {}, metadata);
    }
    builder.output({});
    const Graph graph = builder.finish({});
    return option_json(module_lists(buckets_of_blocks(ModuleTree(graph, ModuleSource::module_fqn), sizes))).dump();
}

TEST(PlanStarts, HaveAnEntryForEachModuleWhereNothingIsNumbered) {
    EXPECT_EQ(started_with({"encoder.wide", "decoder"}), R"(["encoder","decoder"])");
}

TEST(PlanStarts, TakeBlocksByTheirNumbers) {
    EXPECT_EQ(started_with({"layers.0"}), R"(["layers.0"])");
    EXPECT_EQ(started_with({"embed", "layers.10", "layers.2", "layers.1", "norm"}),
              R"(["embed","layers.1","layers.2","layers.10","norm"])");
    EXPECT_EQ(started_with({"layers.0", "layers.1", "layers.2", "layers.3"}, {1, 2}),
              R"(["layers.0",["layers.1","layers.2"],"layers.3"])");
}

TEST(PlanStarts, OfEqualStacksTakeTheOneNearestToTheRoot) {
    EXPECT_EQ(started_with({"inner.experts.0", "inner.experts.1", "layers.0", "layers.1"}),
              R"(["layers.0","layers.1","inner"])");
}

}  // namespace
}  // namespace overlap
