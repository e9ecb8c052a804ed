#include "core/plan/trainer_traits.h"

#include <gtest/gtest.h>

#include "core/graph/graph_builder.h"

namespace overlap {
namespace {

struct Node {
    const char* module;
    const char* target = "aten.relu.default";
    bool backward = false;
    const char* custom = "";
    const char* fields = "";
};

TrainerTraits traits_of(std::initializer_list<Node> nodes, GraphHeader header = {}) {
    GraphBuilder builder;
    int number = 0;
    for (const Node& node : nodes) {
        NodeMetadata metadata;
        metadata.module_fqn = builder.intern(node.module);
        metadata.autograd_backward = node.backward;
        metadata.custom_json = builder.intern(node.custom);
        metadata.extra_json = builder.intern(node.fields);
        builder.call("node_" + std::to_string(number++), node.target, {}, {}, metadata);
    }
    builder.output({});
    const Graph graph = builder.finish(std::move(header));
    return trainer_traits(graph, ModuleTree(graph, ModuleSource::module_fqn));
}

TEST(TrainerTraits, LayersAreTheNumberedChildren) {
    const TrainerTraits traits = traits_of({{"layers.2"}, {"layers.1.moe"}, {"layers.extra.moe"}, {"norm"}});
    EXPECT_TRUE(traits.joint);
    EXPECT_EQ(traits.layers, 3);
    EXPECT_EQ(traits.expert_layers, std::vector<std::int64_t>{1});
    EXPECT_EQ(traits_of({{"norm"}}).layers, 0);
}

TEST(TrainerTraits, ParametersAreGatheredAgainWhereBackwardHasGathers) {
    constexpr const char* gather = "_c10d_functional.all_gather_into_tensor.default";
    EXPECT_FALSE(traits_of({{"layers.0", gather}, {"layers.0", "aten.mm.default", true}}).gathers_again);
    EXPECT_TRUE(traits_of({{"layers.0", gather, true}}).gathers_again);
}

TEST(TrainerTraits, WhatTheModelHalvesNoPassHas) {
    constexpr const char* expert = R"({"chunked_region_fqn": "layers.0.moe"})";
    constexpr const char* block = R"({"titan_meta": {"chunked_region_fqn": "layers.0"}})";
    const TrainerTraits by_pass = traits_of({{"layers.0", "aten.mm.default", false, "", block}});
    EXPECT_TRUE(by_pass.chunked);
    EXPECT_EQ(by_pass.halved_by_pass, "layers.*");
    EXPECT_EQ(by_pass.halved_by_model, "");
    const TrainerTraits both = traits_of({{"layers.0", "aten.mm.default", false, expert, block}});
    EXPECT_EQ(both.halved_by_model, "layers.*.moe");
    EXPECT_EQ(both.halved_by_pass, "");
}

TEST(TrainerTraits, AGroupForGathersTellsThatTheyWereReassigned) {
    GraphHeader header;
    header.process_groups.resize(2);
    header.process_groups[0].name = "0";
    EXPECT_FALSE(traits_of({{"norm"}}, header).reassigned);
    header.process_groups[0].description = "fsdp_extra";
    EXPECT_TRUE(traits_of({{"norm"}}, header).reassigned);
}

TEST(TrainerTraits, OnlyCallsCount) {
    GraphBuilder builder;
    NodeMetadata metadata;
    metadata.custom_json = builder.intern(R"({"chunked_region_fqn": "layers.0.moe"})");
    NodeRecord record;
    record.name = builder.intern("constant");
    record.target = builder.target("bucketing.constant");
    record.op = NodeOp::get_attr;
    record.args = builder.list({});
    builder.add(record, metadata);
    builder.output({});
    const Graph graph = builder.finish({});
    const TrainerTraits traits = trainer_traits(graph, ModuleTree(graph, ModuleSource::module_fqn));
    EXPECT_FALSE(traits.bucketed);
    EXPECT_EQ(traits.halved_by_model, "");
}

}  // namespace
}  // namespace overlap
