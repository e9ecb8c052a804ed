#include "tests/support/repeated_layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "core/graph/graph_builder.h"
#include "core/graph/module_tree.h"
#include "core/io/graph_file.h"

namespace overlap::test {
namespace {

using Json = nlohmann::ordered_json;

std::shared_ptr<const Graph> read_sample(const std::string& name) {
    return read_graph_file(std::string(OVERLAP_TEST_DATA) + "/graphs/" + name + ".graph.json.gz");
}

/// Nodes by operator, for comparing how often things occur.
std::map<std::string, int> operators_of(const Graph& graph) {
    std::map<std::string, int> counts;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) == NodeOp::call_function) ++counts[std::string(graph.target(node))];
    }
    return counts;
}

class RepeatedLayersTest : public testing::TestWithParam<const char*> {};

TEST_P(RepeatedLayersTest, GivesAValidGraphInOrder) {
    const auto original = read_sample(GetParam());
    const auto repeated = repeat_layers(*original, 3);
    std::set<std::string_view> names;
    bool placeholders_come_first = true, after_placeholders = false;
    for (NodeId node = 0; node < repeated->node_count(); ++node) {
        names.insert(repeated->name(node));
        for (const NodeId input : repeated->inputs(node)) {
            ASSERT_LT(input, node) << repeated->name(node) << " stands before " << repeated->name(input);
        }
        const bool is_placeholder = repeated->op(node) == NodeOp::placeholder;
        placeholders_come_first &= !(is_placeholder && after_placeholders);
        after_placeholders |= !is_placeholder;
    }
    EXPECT_EQ(names.size(), repeated->node_count());
    EXPECT_TRUE(placeholders_come_first);
    EXPECT_EQ(repeated->op(repeated->node_count() - 1), NodeOp::output);
}

TEST_P(RepeatedLayersTest, NumbersLayersOnWithTheSameModulesInEach) {
    const auto original = read_sample(GetParam());
    const auto repeated = repeat_layers(*original, 3);
    const ModuleTree before(*original, ModuleSource::module_fqn), after(*repeated, ModuleSource::module_fqn);
    const std::size_t layers = before.module(before.find("layers")).children.size();
    EXPECT_EQ(after.module(after.find("layers")).children.size(), 3 * layers);
    for (std::size_t layer = 0; layer < layers; ++layer) {
        for (std::size_t repetition = 0; repetition < 3; ++repetition) {
            const std::string path = "layers." + std::to_string(layer);
            const std::string copy = "layers." + std::to_string(layer + repetition * layers);
            ASSERT_NE(after.find(copy), ModuleTree::no_module) << copy;
            EXPECT_EQ(after.module(after.find(copy)).nodes.size(), before.module(before.find(path)).nodes.size())
                << copy;
        }
    }
    EXPECT_NE(after.find("norm"), ModuleTree::no_module);
}

TEST_P(RepeatedLayersTest, CollectivesGrowWithTheLayers) {
    const auto original = read_sample(GetParam());
    const auto counts = operators_of(*original), twice = operators_of(*repeat_layers(*original, 2)),
               thrice = operators_of(*repeat_layers(*original, 3));
    for (const auto& [name, count] : counts) {
        EXPECT_EQ(thrice.at(name) - twice.at(name), twice.at(name) - count) << name;
    }
    const std::string gather = "_c10d_functional.all_gather_into_tensor.default";
    EXPECT_GT(twice.at(gather), 3 * counts.at(gather) / 2);
}

TEST_P(RepeatedLayersTest, HiddenStatesGoFromRepetitionToRepetition) {
    const auto original = read_sample(GetParam());
    const auto repeated = repeat_layers(*original, 2);
    const ModuleTree tree(*original, ModuleSource::module_fqn);
    const auto layers = static_cast<std::int64_t>(tree.module(tree.find("layers")).children.size());
    const auto layer_of = [&](NodeId node) -> std::int64_t {
        const std::string_view path = repeated->text(repeated->metadata(node).module_fqn);
        return path.starts_with("layers.") ? std::stoll(std::string(path.substr(7))) : -1;
    };
    std::int64_t forward_links = 0, loss_inputs_of_first = 0;
    for (NodeId node = 0; node < repeated->node_count(); ++node) {
        const bool backward = repeated->metadata(node).autograd_backward.value_or(false);
        for (const NodeId input : repeated->inputs(node)) {
            if (repeated->metadata(input).autograd_backward.value_or(false) || backward) continue;
            forward_links += layer_of(node) == layers && layer_of(input) == layers - 1;
            const std::string_view path = repeated->text(repeated->metadata(node).module_fqn);
            loss_inputs_of_first += path == "norm" && layer_of(input) >= 0 && layer_of(input) < layers;
        }
    }
    EXPECT_GT(forward_links, 0);
    EXPECT_EQ(loss_inputs_of_first, 0);
}

INSTANTIATE_TEST_SUITE_P(Samples, RepeatedLayersTest,
                         testing::Values("llama3_debugmodel_fsdp8", "llama3_debugmodel_fsdp8.prebucket",
                                         "deepseek_v3_debugmodel_fsdp8_ep4.prebucket"));

TEST(RepeatedLayersOnceTest, KeepsEverything) {
    const auto original = read_sample("llama3_debugmodel_fsdp8.prebucket");
    const auto repeated = repeat_layers(*original, 1);
    EXPECT_EQ(operators_of(*repeated), operators_of(*original));
    ASSERT_EQ(repeated->node_count(), original->node_count());
    for (NodeId node = 0; node < original->node_count(); ++node) {
        const NodeId same = repeated->find(original->name(node));
        ASSERT_NE(same, no_node) << original->name(node);
        EXPECT_EQ(repeated->inputs(same).size(), original->inputs(node).size());
    }
}

TEST(RepeatedLayersOnceTest, ParametersOfRepetitionsAreNamed) {
    const auto original = read_sample("llama3_debugmodel_fsdp8.prebucket");
    const auto repeated = repeat_layers(*original, 2);
    const Json before = Json::parse(original->header().extra_json).at("placeholder_fqns");
    const Json after = Json::parse(repeated->header().extra_json).at("placeholder_fqns");
    // The file also names inputs that nothing uses; they are not repeated.
    std::size_t of_layers = 0, of_later_layers = 0;
    for (const auto& [name, path] : before.items()) {
        of_layers += path.get<std::string>().starts_with("layers.") && !original->users(original->find(name)).empty();
    }
    for (const auto& [name, path] : after.items()) {
        EXPECT_NE(repeated->find(name), no_node) << name;
        of_later_layers += path.get<std::string>() == "layers.11.attention_norm.weight";
    }
    EXPECT_EQ(after.size(), before.size() + of_layers);
    EXPECT_EQ(of_later_layers, 1u);
}

TEST(RepeatedLayersOnceTest, CountsTheRepetitionsForASize) {
    const auto original = read_sample("llama3_debugmodel_fsdp8.prebucket");
    const std::uint32_t times = repetitions_for(*original, 10'000);
    EXPECT_GE(repeat_layers(*original, times)->node_count(), 10'000u);
    EXPECT_LT(repeat_layers(*original, times - 1)->node_count(), 10'000u);
    EXPECT_EQ(repetitions_for(*original, 10), 1u);
}

TEST(RepeatedLayersOnceTest, RefusesGraphsWithoutLayers) {
    GraphBuilder builder;
    const NodeId input = builder.placeholder("x", {});
    const Value result = Value::of_node(input);
    builder.output(std::span(&result, 1));
    const Graph graph = builder.finish({});
    EXPECT_THROW(repeat_layers(graph, 2), std::invalid_argument);
    EXPECT_THROW(repeat_layers(graph, 0), std::invalid_argument);
}

}  // namespace
}  // namespace overlap::test
