// Which collectives the scheduler sees, what they share, and how large it takes them to be.

#include "core/passes/scheduling/collectives.h"

#include "tests/passes/scheduling/scheduling_fixture.h"

namespace overlap::scheduling {
namespace {

/// Tensors of 16 bytes.
class CollectivesTest : public test::SchedulingTest {
  protected:
    NodeId getitem(std::string_view name, NodeId of, std::int64_t index) {
        return call(name, "operator.getitem", {Value::of_node(of), Value::of_integer(index)}, {8}, taking(0));
    }
    /// The table of collectives that each have a wait, in this order.
    CollectiveTable table_of(std::initializer_list<NodeId> starts, bool multidtype = false) {
        for (const NodeId start : starts) awaited(std::string("w").append(std::to_string(start)), start);
        return collectives(multidtype);
    }
};

TEST_F(CollectivesTest, AreListedByTheirFirstWaits) {
    const NodeId x = placeholder("x");
    const NodeId late = gather("late", x, 1), early = reduce("early", x, 2, "1"), never = gather("never", x, 4);
    const NodeId early_wait = awaited("early_wait", early);
    const NodeId late_wait = awaited("late_wait", late);
    const NodeId again = awaited("again", early);
    const CollectiveTable table = collectives();
    ASSERT_EQ(table.collectives.size(), 2u);
    EXPECT_EQ(table.collectives[0].start, early);
    EXPECT_EQ(table.collectives[0].wait, early_wait);
    EXPECT_EQ(table.by_wait[again], 0u);
    EXPECT_EQ(table.by_wait[late_wait], 1u);
    EXPECT_EQ(table.by_start[never], no_index);
    EXPECT_EQ(table.groups, (std::vector<std::string_view>{"1", "0"}));
    EXPECT_EQ(table.collectives[0].estimated_ms, 2);
    EXPECT_EQ(table.collectives[0].exposed_ms, 2);
    EXPECT_EQ(table.collectives[0].latency_ms, 0.25);
}

TEST_F(CollectivesTest, AWaitMayStandBehindOneGetitem) {
    const NodeId x = placeholder("x");
    const Value tensors[] = {Value::of_node(x), Value::of_node(x)};
    const NodeId start = call("start", "_c10d_functional.all_gather_into_tensor_coalesced.default",
                              {builder_.list(tensors), Value::of_integer(8), builder_.string("0")}, {8}, taking(1));
    awaited("first", getitem("item_0", start, 0));
    awaited("second", getitem("item_1", start, 1));
    awaited("of_nothing", x);
    const CollectiveTable table = collectives();
    ASSERT_EQ(table.collectives.size(), 1u);
    EXPECT_EQ(table.collectives[0].size_bytes, 48);  // the same tensor twice, and one output
    EXPECT_EQ(table.collectives[0].bucket_key, table.unbucketed_key);
    EXPECT_EQ(table.collectives[0].latency_key, no_index);
}

TEST_F(CollectivesTest, SizesCountInputsAndOutput) {
    const NodeId x = placeholder("x"), odd = placeholder("odd", {3});
    const NodeId gathered = gather("gathered", odd, 1);
    const NodeId reduced = reduce("reduced", x, 1);
    const NodeId small = call("small", "_c10d_functional.all_reduce.default",
                              {Value::of_node(odd), builder_.string("sum"), builder_.string("0")}, {4}, taking(1));
    const CollectiveTable table = table_of({gathered, reduced, small});
    EXPECT_EQ(table.collectives[0].size_bytes, 6 + 16);
    EXPECT_EQ(table.collectives[1].size_bytes, 16);  // half of 32
    EXPECT_EQ(table.collectives[2].size_bytes, 7);   // half of 6 + 8
}

TEST_F(CollectivesTest, KeysTellWhatMayBeMerged) {
    const NodeId x = placeholder("x");
    const NodeId gather_1 = gather("gather_1", x, 1), gather_2 = gather("gather_2", x, 1);
    const NodeId other_group = gather("other_group", x, 1, "1");
    const NodeId scattered = scatter("scattered", x, 1), reduced = reduce("reduced", x, 1);
    const NodeId exchange_1 = exchange("exchange_1", x), exchange_2 = exchange("exchange_2", x, "1");
    const CollectiveTable table =
        table_of({gather_1, gather_2, other_group, scattered, reduced, exchange_1, exchange_2});
    const auto key = [&](NodeId start) { return table.collectives[table.by_start[start]].bucket_key; };
    const auto latency_key = [&](NodeId start) { return table.collectives[table.by_start[start]].latency_key; };
    EXPECT_EQ(key(gather_1), key(gather_2));
    EXPECT_NE(key(gather_1), key(other_group));
    EXPECT_NE(key(scattered), key(reduced));
    EXPECT_EQ(latency_key(scattered), latency_key(reduced));  // torch leaves the kind out here
    EXPECT_NE(latency_key(gather_1), latency_key(scattered));
    // What cannot be merged shares one key across groups, as in torch.
    EXPECT_EQ(key(exchange_1), key(exchange_2));
    EXPECT_EQ(key(exchange_1), table.unbucketed_key);
}

TEST_F(CollectivesTest, GathersOfSeveralDtypesShareAKeyInMultidtypeModes) {
    const NodeId x = placeholder("x");
    const auto gather_of = [&](std::string_view name, std::string_view dtype) {
        const std::int64_t size = 8;
        const TensorMeta out = builder_.contiguous_tensor(*dtype_by_name(dtype), std::span(&size, 1));
        const Value args[] = {Value::of_node(x), Value::of_integer(8), builder_.string("0")};
        return builder_.call(name, "_c10d_functional.all_gather_into_tensor.default", args, std::span(&out, 1),
                             taking(1));
    };
    const NodeId wide = gather_of("wide", "float32"), narrow = gather_of("narrow", "bfloat16");
    const CollectiveTable table = table_of({wide, narrow}, true);
    EXPECT_EQ(table.collectives[0].bucket_key, table.collectives[1].bucket_key);
    const CollectiveTable apart = identify_collectives(*graph_, false, times_, SymbolicSizes(*graph_));
    EXPECT_NE(apart.collectives[0].bucket_key, apart.collectives[1].bucket_key);
}

TEST_F(CollectivesTest, TwoGetitemsAreAnError) {
    const NodeId start = gather("start", placeholder("x"), 1);
    awaited("w", getitem("inner", getitem("outer", start, 0), 0));
    EXPECT_NE(rejection().find("node \"w\": it waits behind two"), std::string::npos) << rejection();
}

TEST_F(CollectivesTest, AGroupWithoutALinkIsAnError) {
    awaited("w", gather("start", placeholder("x"), 1, "nowhere"));
    const std::string message = rejection();
    EXPECT_NE(message.find("node \"start\""), std::string::npos) << message;
    EXPECT_NE(message.find("nowhere"), std::string::npos) << message;
}

/// Sizes that a graph file gives as expressions.
class SymbolicSizesTest : public test::SchedulingTest {
  protected:
    /// A graph of one node with these sizes.
    const Graph& graph_with(const std::string& shapes) {
        NodeMetadata metadata;
        metadata.extra_json = builder_.intern(R"({"symbolic_shapes": )" + shapes + "}");
        placeholder("x", {2, 3});
        call("node", "aten.neg.default", {Value::of_node(0)}, {2, 3}, metadata);
        return finish();
    }
    std::string error_of(const std::string& shapes) {
        builder_ = GraphBuilder();
        try {
            const SymbolicSizes sizes(graph_with(shapes));
        } catch (const InputError& error) {
            return error.what();
        }
        return "read";
    }
};

TEST_F(SymbolicSizesTest, StandForAGuess) {
    const Graph& graph = graph_with(R"([["2*u4 + s5", 3, "u0"]])");
    const SymbolicSizes sizes(graph);
    EXPECT_FALSE(sizes.empty());
    EXPECT_TRUE(sizes.is_symbolic(1, 0));
    EXPECT_EQ(sizes.elements(1, 0, 10), (2 * 10 + 10) * 3 * 10);
    EXPECT_FALSE(sizes.is_symbolic(0, 0));
    EXPECT_EQ(sizes.elements(0, 0, 10), 6);
}

/// The writer puts its guess for what it does not know; another number was the symbol's own.
TEST_F(SymbolicSizesTest, KeepTheNumberThatASymbolWasTracedWith) {
    header_.extra_json = R"({"unbacked_symbol_hint": 3})";
    const Graph& graph = graph_with(R"([["u0", "u1"]])");  // 2 and 3 in the file
    EXPECT_EQ(SymbolicSizes(graph).elements(1, 0, 100), 2 * 100);
}

TEST_F(SymbolicSizesTest, NumbersThatTheExporterKnowsStandForTheirSymbols) {
    header_.extra_json = R"({"symbol_hints": {"u0": 5}})";
    const Graph& graph = graph_with(R"([["u0", "u1"]])");
    EXPECT_EQ(SymbolicSizes(graph).elements(1, 0, 100), 5 * 100);
}

TEST_F(SymbolicSizesTest, OtherFieldsMayHoldNumbersBeyondADouble) {
    header_.extra_json = R"({"unknown": 1e999, "unbacked_symbol_hint": 3})";
    const Graph& graph = graph_with(R"([null, ["u0", "u1"]], "further": -1e999)");
    EXPECT_TRUE(SymbolicSizes(graph).is_symbolic(1, 1));
}

TEST_F(SymbolicSizesTest, OfAnotherTypeAreAnErrorOfTheNode) {
    for (const std::string shapes : {"7", "{}", R"("u0")", "[7]", R"(["u0"])", "[[1e999]]", "[[2, 1.5]]", "[[[2]]]"}) {
        const std::string found = error_of(shapes);
        EXPECT_NE(found.find("node \"node\", symbolic_shapes: found"), std::string::npos) << found;
    }
    EXPECT_LT(error_of('"' + std::string(5000, 'u') + '"').size(), 200u);
}

TEST_F(SymbolicSizesTest, NumbersAreNoSymbols) {
    const Graph& graph = graph_with("[[2, 3]]");
    EXPECT_TRUE(SymbolicSizes(graph).empty());
}

TEST_F(SymbolicSizesTest, OtherExpressionsAreNotGuessed) {
    const Graph& graph = graph_with(R"json([["Log(1, u0)"]])json");
    EXPECT_THROW(SymbolicSizes(graph).elements(1, 0, 10), InputError);
}

}  // namespace
}  // namespace overlap::scheduling
