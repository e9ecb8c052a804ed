#include <algorithm>

#include "tests/passes/pass_fixture.h"
#include "tests/support/call_with.h"

namespace overlap {
namespace {

/// A module whose halves each exchange tokens once: compute, exchange, wait, compute.
class EpOverlapScheduleTest : public test::PassTest {
  protected:
    static constexpr std::string_view pass = "ep_overlap_schedule_pass";

    NodeMetadata half(int chunk, std::string_view label = "", std::string_view module = "layers.1.moe") {
        NodeMetadata metadata;
        metadata.extra_json = builder_.intern(R"({"titan_meta":{"chunked_region_fqn":")" + std::string(module) +
                                              R"(","chunked_region_producer":"eager",)"
                                              R"("chunked_region_role":"body","chunk_id":)" +
                                              std::to_string(chunk) + "}}");
        if (!label.empty())
            metadata.custom_json = builder_.intern(R"({"EP_token_exchange":")" + std::string(label) + R"("})");
        return metadata;
    }
    NodeId exchange_of(std::string_view name, NodeId input, const NodeMetadata& metadata) {
        const Value splits[] = {Value::of_integer(4), Value::of_integer(4)};
        return call(name, "_c10d_functional.all_to_all_single.default",
                    {Value::of_node(input), builder_.list(splits), builder_.list(splits), builder_.string("0")}, {8},
                    metadata);
    }
    /// One half; its last node.
    NodeId add_half(int chunk, std::string_view label = "dispatch", bool waits = true) {
        const std::string suffix = "_" + std::to_string(chunk);
        const NodeId input = placeholder("x" + suffix);
        const NodeId before = call("before" + suffix, "aten.relu.default", {Value::of_node(input)}, {8}, half(chunk));
        const NodeId start = exchange_of("start" + suffix, before, half(chunk, label));
        NodeId last = start;
        if (waits)
            last = call("wait" + suffix, "_c10d_functional.wait_tensor.default", {Value::of_node(start)}, {8},
                        half(chunk));
        const NodeId beside = call("beside" + suffix, "aten.relu.default", {Value::of_node(before)}, {8}, half(chunk));
        return call("after" + suffix, "aten.add.Tensor", {Value::of_node(last), Value::of_node(beside)}, {8},
                    half(chunk));
    }
    /// A copy of token counts to the host, or another device.
    NodeId count_copy(std::string_view name, NodeId input, int chunk, std::string_view device = "cpu") {
        NodeMetadata metadata = half(chunk);
        metadata.custom_json = builder_.intern(R"({"EP_token_count_sync":"dispatch"})");
        return test::call_with(builder_, name, "aten._to_copy.default", {Value::of_node(input)},
                               {{"device", builder_.string(device, ValueKind::device)}}, {tensor({8})}, metadata);
    }
    /// One half whose exchange needs copies of token counts, as many as `copies`; its last node.
    NodeId add_counting_half(int chunk, int copies = 2, std::string_view device = "cpu") {
        const std::string suffix = "_" + std::to_string(chunk);
        const auto own = [&](const std::string& name, const std::string& target, std::vector<NodeId> inputs) {
            std::vector<Value> values;
            for (const NodeId input : inputs) values.push_back(Value::of_node(input));
            return call(name + suffix, target, values, {8}, half(chunk));
        };
        const NodeId before = own("before", "aten.relu.default", {placeholder("x" + suffix)});
        std::vector<NodeId> needed = {before};
        for (int copy = 0; copy < copies; ++copy)
            needed.push_back(
                count_copy("copy_" + std::string(1, static_cast<char>('a' + copy)) + suffix, before, chunk, device));
        const NodeId sorted = own("sorted", "aten.cat.default", needed);
        const NodeId start = exchange_of("start" + suffix, sorted, half(chunk, "dispatch"));
        return own("wait", "_c10d_functional.wait_tensor.default", {start});
    }
    bool is_non_blocking(std::string_view name) const {
        const Value* value = result_.graph->keyword(result_.graph->find(name), "non_blocking");
        return value && value->is(ValueKind::boolean) && value->boolean;
    }
    const Json options = {{"module_pattern", "layers.*.moe"}};
    Names order() const {
        Names listed = names();
        std::erase_if(listed, [](const std::string& name) { return name == "output" || name.starts_with("x_"); });
        return listed;
    }
};

TEST_F(EpOverlapScheduleTest, ComputeOfBothHalvesRunsBehindTheExchanges) {
    output({add_half(0), add_half(1)});
    run(pass, options);
    EXPECT_EQ(order(), Names({"before_0", "start_0", "before_1", "start_1", "beside_0", "beside_1", "wait_0", "after_0",
                              "wait_1", "after_1"}));
    const Graph& graph = *result_.graph;
    EXPECT_EQ(graph.text(graph.metadata(graph.find("wait_0")).custom_json), R"({"EP_token_exchange_wait":"dispatch"})");
}

TEST_F(EpOverlapScheduleTest, PairedFirstExchangesAreLaunchedTogether) {
    output({add_half(0), add_half(1)});
    run(pass, {{"module_pattern", "layers.*.moe"}, {"pair_first_token_exchange", true}});
    EXPECT_EQ(order(), Names({"before_0", "before_1", "start_0", "start_1", "beside_0", "beside_1", "wait_0", "after_0",
                              "wait_1", "after_1"}));
}

TEST_F(EpOverlapScheduleTest, HalvesThatDifferAreRefused) {
    output({add_half(0, "dispatch"), add_half(1, "combine")});
    const std::string reason = refusal(pass, options);
    EXPECT_TRUE(reason.starts_with(std::string(pass) + ": module \"")) << reason;
    EXPECT_NE(reason.find("the first dispatch, the second combine"), std::string::npos) << reason;
}

TEST_F(EpOverlapScheduleTest, AnExchangeWithoutWaitIsRefused) {
    output({add_half(0, "dispatch", false), add_half(1)});
    EXPECT_NE(refusal(pass, options).find("0 waits"), std::string::npos);
}

TEST_F(EpOverlapScheduleTest, OneHalfAloneIsRefused) {
    output({add_half(0)});
    EXPECT_NE(refusal(pass, options).find("one of its halves only"), std::string::npos);
}

TEST_F(EpOverlapScheduleTest, NothingToOrderIsAnErrorUnlessItMayBe) {
    output({add_half(0), add_half(1)});
    EXPECT_NE(refusal(pass, {{"module_pattern", "norm"}}).find("halved and exchanges tokens"), std::string::npos);
}

TEST_F(EpOverlapScheduleTest, NothingToOrderLeavesTheGraph) {
    output({add_half(0), add_half(1)});
    run(pass, {{"module_pattern", "norm"}, {"require_all_to_all", false}});
    EXPECT_TRUE(is_input());
}

TEST_F(EpOverlapScheduleTest, TokenCountsAreCopiedBeforeWhatNeedsThemAndTheLastCopyBlocks) {
    output({add_counting_half(0), add_counting_half(1)});
    run(pass, options);
    EXPECT_EQ(order(), Names({"before_0", "copy_a_0", "copy_b_0", "sorted_0", "start_0", "before_1", "copy_a_1",
                              "copy_b_1", "sorted_1", "start_1", "wait_0", "wait_1"}));
    EXPECT_TRUE(is_non_blocking("copy_a_1"));
    EXPECT_FALSE(is_non_blocking("copy_b_1"));
}

TEST_F(EpOverlapScheduleTest, PairedHalvesCopyTheirTokenCountsTogether) {
    output({add_counting_half(0), add_counting_half(1)});
    run(pass, {{"module_pattern", "layers.*.moe"}, {"pair_first_token_exchange", true}});
    EXPECT_EQ(order(), Names({"before_0", "before_1", "copy_a_0", "copy_b_0", "copy_a_1", "copy_b_1", "sorted_0",
                              "sorted_1", "start_0", "start_1", "wait_0", "wait_1"}));
    EXPECT_TRUE(is_non_blocking("copy_b_0"));
    EXPECT_FALSE(is_non_blocking("copy_b_1"));
}

TEST_F(EpOverlapScheduleTest, TokenCountsThatAreCopiedOtherwiseAreRefused) {
    output({add_counting_half(0, 1), add_counting_half(1, 1)});
    EXPECT_NE(refusal(pass, options).find("copies token counts 1 time, expected two"), std::string::npos);
    builder_ = {};
    output({add_counting_half(0, 0), add_counting_half(1)});
    EXPECT_NE(refusal(pass, options).find("only one of its halves copies token counts"), std::string::npos);
    builder_ = {};
    output({add_counting_half(0, 2, "cuda:1"), add_counting_half(1)});
    EXPECT_NE(refusal(pass, options).find("\"copy_a_0\" copies token counts, but not to the CPU"), std::string::npos);
    for (const int late : {0, 1}) {
        builder_ = {};
        const NodeId first = add_counting_half(0), second = add_counting_half(1);
        output({first, second, count_copy("late", late == 0 ? first : second, late)});
        EXPECT_NE(refusal(pass, options).find("\"late\" copies token counts behind the first exchange"),
                  std::string::npos);
    }
}

TEST_F(EpOverlapScheduleTest, WhatCutsTheInputsOfTheHalvesIsOrderedByTheGraphAlone) {
    NodeMetadata cut;
    cut.extra_json = builder_.intern(R"({"titan_meta":{"chunked_region_fqn":"layers.1.moe",)"
                                     R"("chunked_region_producer":"graph","chunked_region_role":"split_boundary"}})");
    const NodeId between = call("cut", "aten.relu.default", {Value::of_node(placeholder("x_cut"))}, {8}, cut);
    output({add_half(0), add_half(1), between});
    run(pass, options);
    EXPECT_EQ(order().front(), "cut");
    EXPECT_EQ(order().size(), 11u);
}

TEST_F(EpOverlapScheduleTest, AnOrderThatContradictsTheGraphIsRefused) {
    // The first half's exchange needs the other module, and that needs what would hide the exchange.
    const NodeId x = placeholder("x");
    const NodeId early = call("early", "aten.relu.default", {Value::of_node(x)}, {8}, half(0));
    NodeId last = early;
    for (const int chunk : {0, 1}) {
        const std::string name = "other_" + std::to_string(chunk);
        const NodeId start = exchange_of(name, last, half(chunk, "dispatch", "layers.2.moe"));
        last = call(name + "_wait", "_c10d_functional.wait_tensor.default", {Value::of_node(start)}, {8},
                    half(chunk, "", "layers.2.moe"));
    }
    const NodeId start = exchange_of("start_0", last, half(0, "dispatch"));
    const NodeId wait = call("wait_0", "_c10d_functional.wait_tensor.default", {Value::of_node(start)}, {8}, half(0));
    output({early, wait, add_half(1)});
    try {
        run(pass, options);
        FAIL() << "ordered";
    } catch (const PassRefusal& refused) {
        EXPECT_TRUE(refused.problem().starts_with("the order that hides the all-to-alls contradicts"))
            << refused.what();
    }
}

}  // namespace
}  // namespace overlap
