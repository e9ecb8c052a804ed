#include "core/modules/nearest_module.h"

#include <gtest/gtest.h>

#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

TEST(NearestModules, FindsWhatWasMeant) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const ModuleTree tree(*graph, ModuleSource::module_fqn);
    const auto best = [&](std::string_view path) {
        const std::vector<std::string> nearest = nearest_modules(tree, path);
        return nearest.empty() ? std::string() : nearest.front();
    };
    EXPECT_EQ(best("layers.6"), "layers.5");
    EXPECT_EQ(best("layers.99"), "layers.5");
    EXPECT_EQ(best(" layers.0"), "layers.0");
    EXPECT_EQ(best("layers.0."), "layers.0");
    EXPECT_EQ(best("model.layers.0"), "layers.0");
    EXPECT_EQ(best("_orig_mod.layers.0.attention"), "layers.0.attention");
    EXPECT_EQ(best("layers.7.attention"), "layers.5.attention");
    EXPECT_EQ(best("layers.0.atention"), "layers.0.attention");
    EXPECT_EQ(best("tok_embedding"), "tok_embeddings");
    EXPECT_EQ(best("output"), "lm_head");
    EXPECT_EQ(best("feed_forward.w1"), "layers.0.feed_forward.w1");
    // Names of other models, signs, what lies below a module without parts.
    EXPECT_EQ(best("embed_tokens"), "tok_embeddings");
    EXPECT_EQ(best("embedding"), "tok_embeddings");
    EXPECT_EQ(best("layers.-1"), "layers.1");
    EXPECT_EQ(best("layers.0.7"), "layers.0");
    EXPECT_EQ(best("layers.0.feed_forward.w1.deeper"), "layers.0.feed_forward.w1");
    EXPECT_EQ(best(" .. "), "");
    EXPECT_EQ(best(""), "");
    EXPECT_LE(nearest_modules(tree, "layers.99", 2).size(), 2u);
}

TEST(NearestModules, AGraphWithoutModulesHasNone) {
    const auto graph = read_graph_text(
        R"({"format": "overlap-graph", "version": 1, "nodes": [{"name": "a", "op": "placeholder", "target": "a"}]})",
        "bare");
    EXPECT_TRUE(nearest_modules(ModuleTree(*graph, ModuleSource::module_fqn), "layers.0").empty());
}

}  // namespace
}  // namespace overlap
