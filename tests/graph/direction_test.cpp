#include "core/graph/direction.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "tests/graph/graph_in_code.h"

namespace overlap {
namespace {

/// What a graph may say of a node's direction.
struct Said {
    std::optional<bool> backward{};
    std::string_view tag{};
    bool own_stack = false, forward_stack = false;
    std::string_view name = "mm";
};

template <typename Question>
bool of_node(const Said& said, Question question) {
    GraphBuilder builder;
    NodeMetadata metadata;
    metadata.autograd_backward = said.backward;
    metadata.partitioner_tag = builder.intern(said.tag);
    if (said.own_stack) metadata.module_stack = test::module_stack(builder, {{"layers.0", "Block"}});
    if (said.forward_stack) metadata.fwd_module_stack = test::module_stack(builder, {{"layers.0", "Block"}});
    const NodeId node = test::call(builder, said.name, "aten.mm.default", {}, metadata);
    return question(builder.finish({}), node);
}

TEST(DirectionOfANode, IsWhatTheGraphSaysAndElseThatOfItsStacks) {
    for (const Said& said : {Said{.backward = true, .tag = "is_forward", .own_stack = true}, Said{.tag = "is_backward"},
                             Said{.tag = "is_backward", .own_stack = true}, Said{.forward_stack = true}})
        EXPECT_TRUE(of_node(said, is_backward)) << said.tag;
    for (const Said& said : {Said{.backward = false, .tag = "is_backward", .forward_stack = true},
                             Said{.tag = "is_forward", .forward_stack = true}, Said{.tag = "other"}, Said{},
                             Said{.own_stack = true}, Said{.own_stack = true, .forward_stack = true}})
        EXPECT_FALSE(of_node(said, is_backward)) << said.tag;
}

TEST(DirectionOfANode, OfForwardWorkDoneAgainIsForwardButItRunsInTheBackwardPart) {
    const Said again{.own_stack = true, .name = "mm_recomputed_1"};
    EXPECT_TRUE(of_node(again, is_recomputed));
    EXPECT_FALSE(of_node(again, is_backward));
    EXPECT_TRUE(of_node(again, runs_in_backward));
    EXPECT_TRUE(of_node(Said{.backward = true}, runs_in_backward));
    EXPECT_FALSE(of_node(Said{.own_stack = true}, runs_in_backward));
    EXPECT_FALSE(of_node(Said{}, is_recomputed));
}

}  // namespace
}  // namespace overlap
