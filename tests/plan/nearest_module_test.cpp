#include "core/modules/nearest_module.h"

#include <gtest/gtest.h>

#include "core/base/nearest_name.h"
#include "tests/plan/test_graphs.h"

namespace overlap {
namespace {

TEST(EditDistance, CountsEdits) {
    EXPECT_EQ(edit_distance("", ""), 0u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("bucket_mode", "bucket_mod"), 1u);
    EXPECT_EQ(edit_distance("norm", "nrom"), 1u);  // neighbours exchanged
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3u);
    EXPECT_EQ(edit_distance("a", "abcdefgh", 3), 4u);
}

TEST(NearestNames, FindsWhatWasMeant) {
    const std::vector<std::string> names = {"insert_overlap_deps", "bucket_mode", "module_stack_fn"};
    EXPECT_EQ(nearest_names("bucket_mod", names, 1), std::vector<std::string>{"bucket_mode"});
    EXPECT_EQ(nearest_names("Bucket_Mode", names, 1), std::vector<std::string>{"bucket_mode"});
    EXPECT_TRUE(nearest_names("xy", names).empty());
    EXPECT_EQ(suggest_names("bucket_mod", names), "; nearest: \"bucket_mode\"");
    EXPECT_EQ(suggest_names("xy", std::vector<std::string>{"a", "b"}), "; there are: \"a\", \"b\"");
}

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
    EXPECT_EQ(best(""), "");
    EXPECT_LE(nearest_modules(tree, "layers.99", 2).size(), 2u);
}

}  // namespace
}  // namespace overlap
