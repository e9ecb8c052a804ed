#include "core/graph/module_tree.h"

#include <gtest/gtest.h>

#include "tests/graph/graph_in_code.h"

namespace overlap {
namespace {

using test::Stack;

/// A graph of one call a stack; node n has stack n, after the placeholder that is node 0.
Graph graph_of(const std::vector<Stack>& stacks) {
    GraphBuilder builder;
    const NodeId input = test::placeholder(builder, "x");
    for (std::size_t index = 0; index < stacks.size(); ++index) {
        NodeMetadata metadata;
        metadata.module_stack = test::module_stack(builder, stacks[index]);
        test::call(builder, std::string("n").append(std::to_string(index + 1)), "aten.relu.default", {input}, metadata);
    }
    return builder.finish({});
}

std::vector<NodeId> nodes(const ModuleTree& tree, std::string_view path) {
    const auto found = tree.nodes(path);
    return {found.begin(), found.end()};
}

using Nodes = std::vector<NodeId>;

TEST(CleanModulePath, AsTorchCleansThem) {
    EXPECT_EQ(clean_module_path("L['self']"), "");
    EXPECT_EQ(clean_module_path("L['self']._modules['layers']['0']._modules['attention']"), "layers.0.attention");
    EXPECT_EQ(clean_module_path("L['self'].layers.0.wq"), "layers.0.wq");
    EXPECT_EQ(clean_module_path("L['self'].layers[0].attention"), "layers[0].attention");
    EXPECT_EQ(clean_module_path("L['mod']._modules['layers']['3']"), "mod.layers.3");
    EXPECT_EQ(clean_module_path("L['fn']"), "fn");
    EXPECT_EQ(clean_module_path("getattr(L['self'], 'x')"), "self");
    EXPECT_EQ(clean_module_path("L[\"self\"]._modules['q']"), "q");
    EXPECT_EQ(clean_module_path("L['self']._modules['a.b']"), "a.b");
    EXPECT_EQ(clean_module_path("L['self']._checkpoint_wrapped_module._modules['w1']"), "w1");
    EXPECT_EQ(clean_module_path("_orig_mod.layers.0"), "_orig_mod.layers.0");
    EXPECT_EQ(clean_module_path(""), "");
    EXPECT_EQ(clean_module_path("L['self'].a['']"), "a['']");
    EXPECT_EQ(clean_module_path("a['b"), "a['b");
    EXPECT_EQ(clean_module_path("['a[']']"), "a[") << "quoted parts have no letter in common";
}

TEST(ModuleTree, NodeIsInEveryModuleAlongItsPaths) {
    const Graph graph = graph_of({
        {{"", "Model"}, {"layers.0", "Block"}, {"layers.0.wq", "Linear"}},
        {{"", "Model"}, {"layers.1", "Block"}},
        {{"layers.0.wk", "Linear"}, {"layers.0.wk", "Linear"}},
    });
    const ModuleTree tree(graph, ModuleSource::module_stack);
    ASSERT_TRUE(tree.exists());
    EXPECT_EQ(nodes(tree, "layers"), (Nodes{1, 2, 3}));
    EXPECT_EQ(nodes(tree, "layers.0"), (Nodes{1, 3}));
    EXPECT_EQ(nodes(tree, "layers.0.wq"), (Nodes{1}));
    EXPECT_EQ(nodes(tree, "layers.0.wk"), (Nodes{3}));  // once, although its stack has the path twice
    EXPECT_EQ(nodes(tree, "layers.1"), (Nodes{2}));
    EXPECT_EQ(tree.module(ModuleTree::root).nodes, (Nodes{1, 2}));  // those with an empty path alone
    EXPECT_EQ(tree.nodes_without_module(), (Nodes{0}));
    EXPECT_EQ(tree.depth(), 3u);
    EXPECT_EQ(tree.path(tree.innermost(1)), "layers.0.wq");
    EXPECT_EQ(tree.innermost(0), ModuleTree::no_module);
}

TEST(ModuleTree, RootTakesTheFirstComponentAsItsName) {
    const ModuleTree tree(graph_of({{{"layers.0", "Block"}}}), ModuleSource::module_stack);
    const ModuleTree::Module& root = tree.module(ModuleTree::root);
    EXPECT_EQ(root.name, "layers");
    EXPECT_EQ(root.class_name, "Block");
    EXPECT_TRUE(root.nodes.empty());
    // The root is no child of that name: `layers` is made below it.
    ASSERT_EQ(root.children.size(), 1u);
    EXPECT_EQ(tree.path(root.children[0]), "layers");
}

TEST(ModuleTree, ClassIsThatOfTheEntryThatMadeTheModule) {
    const ModuleTree tree(graph_of({{{"layers.0", "Block"}, {"layers", "ModuleList"}}}), ModuleSource::module_stack);
    EXPECT_EQ(tree.module(tree.find("layers")).class_name, "Block");
    EXPECT_EQ(tree.module(tree.find("layers.0")).class_name, "Block");
}

TEST(ModuleTree, OwnClassIsThatOfTheEntryThatEndsThere) {
    const ModuleTree tree(graph_of({{{"layers.0.attention", "Attention"}, {"layers", "ModuleList"}}}),
                          ModuleSource::module_stack);
    EXPECT_EQ(tree.module(tree.find("layers.0.attention")).own_class, "Attention");
    EXPECT_EQ(tree.module(tree.find("layers.0")).own_class, "");
    EXPECT_EQ(tree.module(tree.find("layers")).own_class, "ModuleList");
    EXPECT_EQ(tree.module(ModuleTree::root).own_class, "");
}

TEST(ModuleTree, ChildrenAreInFirstSeenOrder) {
    const ModuleTree tree(graph_of({{{"b", "B"}}, {{"a", "A"}}, {{"b.z", "Z"}}, {{"b.y", "Y"}}}),
                          ModuleSource::module_stack);
    std::vector<std::string> names;
    for (const auto child : tree.module(ModuleTree::root).children) names.push_back(tree.module(child).name);
    EXPECT_EQ(names, (std::vector<std::string>{"b", "a"}));
    EXPECT_EQ(tree.module(tree.module(tree.find("b")).children[0]).name, "z");
}

TEST(ModuleTree, PathsAreFoundExactlyOrNotAtAll) {
    const ModuleTree tree(graph_of({{{"layers.1", "Block"}}, {{"layers.10", "Block"}}}), ModuleSource::module_stack);
    EXPECT_EQ(nodes(tree, "layers.1"), (Nodes{1}));
    for (const char* path : {"", " layers.1", "layers.1.", "layers.*", "layers.2", "Layers.1", ".", "layers..1", "1"}) {
        EXPECT_TRUE(nodes(tree, path).empty()) << path;
        EXPECT_EQ(tree.find(path), ModuleTree::no_module) << path;
    }
}

TEST(ModuleTree, EmptyPathDoesNotFindTheRoot) {
    const ModuleTree tree(graph_of({{{"", "Model"}}}), ModuleSource::module_stack);
    EXPECT_EQ(tree.module(ModuleTree::root).nodes, (Nodes{1}));
    EXPECT_EQ(tree.find(""), ModuleTree::no_module);
    EXPECT_EQ(tree.innermost(1), ModuleTree::root);
}

TEST(ModuleTree, PathOfAQuotedDotIsTwoLevels) {
    const ModuleTree tree(graph_of({{{"L['self']._modules['a.b']", "M"}}}), ModuleSource::module_stack);
    EXPECT_EQ(nodes(tree, "a"), (Nodes{1}));
    EXPECT_EQ(nodes(tree, "a.b"), (Nodes{1}));
}

TEST(ModuleTree, ForwardStackIsTheFallback) {
    GraphBuilder builder;
    const NodeId input = test::placeholder(builder, "x");
    NodeMetadata forward, both;
    forward.fwd_module_stack = test::module_stack(builder, {{"forward", "F"}});
    both.module_stack = test::module_stack(builder, {{"own", "O"}});
    both.fwd_module_stack = forward.fwd_module_stack;
    test::call(builder, "a", "aten.relu.default", {input}, forward);
    test::call(builder, "b", "aten.relu.default", {input}, both);
    const Graph graph = builder.finish({});
    EXPECT_EQ(preferred_module_source(graph), ModuleSource::module_stack);
    const ModuleTree tree(graph, ModuleSource::module_stack);
    EXPECT_EQ(nodes(tree, "forward"), (Nodes{1}));
    EXPECT_EQ(nodes(tree, "own"), (Nodes{2}));
}

TEST(ModuleTree, NoStacksNoTree) {
    const ModuleTree tree(graph_of({{}, {}}), ModuleSource::module_stack);
    EXPECT_FALSE(tree.exists());
    EXPECT_EQ(tree.module_count(), 0u);
    EXPECT_EQ(tree.find("layers"), ModuleTree::no_module);
    EXPECT_TRUE(tree.nodes("layers").empty());
    EXPECT_EQ(tree.nodes_without_module(), (Nodes{0, 1, 2}));
    EXPECT_EQ(tree.depth(), 0u);
}

TEST(ModuleTree, TorchtitansNamesAreTakenAsTheyAre) {
    GraphBuilder builder;
    const NodeId input = test::placeholder(builder, "x");
    NodeMetadata layer, bracketed;
    layer.module_fqn = builder.intern("layers.0.attention");
    layer.module_stack = test::module_stack(builder, {{"unseen", "M"}});
    bracketed.module_fqn = builder.intern("L['self']");
    test::call(builder, "a", "aten.relu.default", {input}, layer);
    test::call(builder, "b", "aten.relu.default", {input}, bracketed);
    const ModuleTree tree(builder.finish({}), ModuleSource::module_fqn);
    EXPECT_EQ(nodes(tree, "layers.0"), (Nodes{1}));
    EXPECT_EQ(nodes(tree, "layers.0.attention"), (Nodes{1}));
    EXPECT_TRUE(nodes(tree, "unseen").empty());
    EXPECT_EQ(nodes(tree, "L['self']"), (Nodes{2}));
    EXPECT_EQ(tree.nodes_without_module(), (Nodes{0}));
}

TEST(ModuleTree, SourceIsModuleNamesWhereNoNodeHasAStack) {
    EXPECT_EQ(preferred_module_source(graph_of({{}})), ModuleSource::module_fqn);
}

TEST(ModuleTree, DeepPathsDoNotExhaustTheStack) {
    std::string path = "m";
    for (int level = 1; level < 200000; ++level) path += ".m";
    const ModuleTree tree(graph_of({{{path, "M"}}}), ModuleSource::module_stack);
    EXPECT_EQ(tree.depth(), 200000u);
    EXPECT_EQ(tree.path(tree.innermost(1)), path);
    EXPECT_EQ(tree.find(path), tree.innermost(1));
}

}  // namespace
}  // namespace overlap
