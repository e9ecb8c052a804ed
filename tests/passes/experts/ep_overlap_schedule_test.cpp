#include <algorithm>

#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

/// A module whose halves each exchange tokens once: compute, exchange, wait, compute.
class EpOverlapScheduleTest : public test::PassTest {
  protected:
    static constexpr std::string_view pass = "ep_overlap_schedule_pass";

    NodeMetadata half(int chunk, std::string_view label = "") {
        NodeMetadata metadata;
        metadata.extra_json =
            builder_.intern(R"({"titan_meta":{"chunked_region_fqn":"layers.1.moe","chunked_region_producer":"eager",)"
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

}  // namespace
}  // namespace overlap
