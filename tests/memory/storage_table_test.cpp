#include "core/memory/storage_table.h"

#include <gtest/gtest.h>

#include <array>

#include "core/io/graph_file.h"
#include "core/memory/memory_profile.h"
#include "tests/cost/graph_sketch.h"
#include "tests/cost/reference_graphs.h"

namespace overlap::test {
namespace {

class Storages : public ::testing::Test {
  protected:
    NodeId compute(std::string_view name, std::vector<NodeId> inputs, const TensorMeta& output) {
        return call(name, "aten.relu.default", std::move(inputs), output);
    }
    NodeId call(std::string_view name, std::string_view target, std::vector<NodeId> inputs, const TensorMeta& output) {
        std::vector<Value> arguments;
        for (const NodeId input : inputs) arguments.push_back(Value::of_node(input));
        return sketch.call(name, target, arguments, {output});
    }
    /// The one storage that a node's outputs lie in.
    static StorageIndex held(const StorageTable& table, NodeId node) {
        EXPECT_EQ(table.held_by(node).size(), 1u);
        return table.held_by(node).empty() ? 0 : table.held_by(node).front();
    }
    static NodeId released_by(const StorageTable& table, NodeId node) {
        return table.storages()[held(table, node)].released_by;
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.bytes(512));
};

TEST_F(Storages, WhatACollectiveReadsIsHeldUntilItsWait) {
    const NodeId gradient = compute("gradient", {x}, sketch.bytes(64));
    const NodeId reduced = sketch.reduce("reduced", gradient, 1);
    const NodeId between = compute("between", {x}, sketch.bytes(64));
    const NodeId waited = sketch.wait("waited", reduced);
    const NodeId last = compute("last", {waited, between}, sketch.bytes(64));
    const Graph graph = sketch.finish({last});
    EXPECT_EQ(released_by(StorageTable(graph, StorageRule::corrected), gradient), waited);
    EXPECT_EQ(released_by(StorageTable(graph, StorageRule::reference), gradient), reduced);
}

TEST_F(Storages, TheFirstWaitReleasesIt) {
    const NodeId gradient = compute("gradient", {x}, sketch.bytes(64));
    const NodeId reduced = sketch.reduce("reduced", gradient, 1);
    const NodeId first = sketch.wait("first", reduced);
    sketch.wait("second", reduced);
    const Graph graph = sketch.finish({first});
    EXPECT_EQ(released_by(StorageTable(graph, StorageRule::corrected), gradient), first);
}

TEST_F(Storages, WhatIsReadBehindTheWaitIsHeldUntilThen) {
    const NodeId gradient = compute("gradient", {x}, sketch.bytes(64));
    const NodeId reduced = sketch.reduce("reduced", gradient, 1);
    const NodeId waited = sketch.wait("waited", reduced);
    const NodeId last = compute("last", {waited, gradient}, sketch.bytes(64));
    const Graph graph = sketch.finish({last});
    EXPECT_EQ(released_by(StorageTable(graph, StorageRule::corrected), gradient), last);
}

TEST_F(Storages, WhatNothingAwaitsIsHeldToTheEnd) {
    const NodeId gradient = compute("gradient", {x}, sketch.bytes(64));
    sketch.reduce("reduced", gradient, 1);
    const NodeId last = compute("last", {x}, sketch.bytes(64));
    const Graph graph = sketch.finish({last});
    EXPECT_EQ(released_by(StorageTable(graph, StorageRule::corrected), gradient), graph.find("output"));
    const MemoryProfile profile = memory_profile(graph, StorageRule::corrected);
    EXPECT_EQ(profile.points.back(), 512 + 64 + 16 + 64);  // what the sum returns is 16 bytes
}

TEST_F(Storages, AWaitReturnsTheMemoryOfItsCollective) {
    const NodeId gathered = sketch.gather("gathered", x, 1);
    const NodeId waited = sketch.wait("waited", gathered);  // the sketch gives it a number of its own
    const NodeId last = compute("last", {waited}, sketch.bytes(8));
    const Graph graph = sketch.finish({last});
    const StorageTable corrected(graph, StorageRule::corrected), reference(graph, StorageRule::reference);
    EXPECT_EQ(held(corrected, waited), held(corrected, gathered));
    EXPECT_EQ(released_by(corrected, gathered), last);
    EXPECT_NE(held(reference, waited), held(reference, gathered));
    EXPECT_EQ(memory_profile(graph, StorageRule::corrected).peak_bytes, 512 + 64 + 8);
    EXPECT_EQ(memory_profile(graph, StorageRule::reference).peak_bytes, 512 + 64 + 64);
}

TEST_F(Storages, AWrappedWaitReturnsTheMemoryOfItsCollectiveNotOfItsDependency) {
    const NodeId dependency = compute("dependency", {x}, sketch.bytes(64));
    const NodeId gathered = sketch.gather("gathered", x, 1);
    const NodeId subgraph = sketch.get_attr("subgraph_wait_tensor_8", "subgraph_wait_tensor_8");
    const NodeId waited =
        sketch.call("wait_tensor_8", "higher_order.control_deps",
                    {sketch.list({Value::of_node(dependency)}), Value::of_node(subgraph), Value::of_node(gathered)},
                    {sketch.bytes(64)});
    const NodeId last = compute("last", {waited}, sketch.bytes(8));
    const Graph graph = sketch.finish({last});
    const StorageTable table(graph, StorageRule::corrected);
    EXPECT_EQ(held(table, waited), held(table, gathered));
    EXPECT_NE(held(table, waited), held(table, dependency));
}

TEST_F(Storages, AWaitForSeveralReturnsTheMemoryOfItsItem) {
    const TensorMeta first = sketch.bytes(64), second = sketch.bytes(128);
    const NodeId gathered =
        sketch.call("gathered", "_c10d_functional.all_gather_into_tensor_coalesced.default",
                    {sketch.list({Value::of_node(x)}), Value::of_integer(4), sketch.text("0")}, {first, second}, 1);
    const NodeId item =
        sketch.call("item", "operator.getitem", {Value::of_node(gathered), Value::of_integer(1)}, {sketch.bytes(128)});
    const NodeId waited = call("waited", "_c10d_functional.wait_tensor.default", {item}, sketch.bytes(128));
    const Graph graph = sketch.finish({waited});
    const StorageTable table(graph, StorageRule::corrected);
    ASSERT_EQ(table.held_by(gathered).size(), 2u);
    EXPECT_EQ(held(table, item), table.held_by(gathered)[1]);
    EXPECT_EQ(held(table, waited), table.held_by(gathered)[1]);
}

TEST_F(Storages, AViewLiesInItsArgumentWhateverItsNumber) {
    const NodeId made = compute("made", {x}, sketch.bytes(64, 51));
    const NodeId view = call("view", "aten.view.default", {made}, sketch.bytes(64, 52));
    const NodeId copy = call("copy", "aten.clone.default", {made}, sketch.bytes(64, 53));
    const Graph graph = sketch.finish({view, copy});
    const StorageTable table(graph, StorageRule::corrected);
    EXPECT_EQ(held(table, view), held(table, made));
    EXPECT_NE(held(table, copy), held(table, made));
}

TEST_F(Storages, AViewThatIsLargerOrElsewhereIsNoPartOfItsArgument) {
    const NodeId made = compute("made", {x}, sketch.bytes(64, 51));
    const NodeId larger = call("larger", "aten.view.default", {made}, sketch.bytes(65, 52));
    const NodeId elsewhere = call("elsewhere", "aten.view.default", {made}, sketch.bytes(64, 53, "xpu"));
    TensorMeta inside = sketch.bytes(64, 51);
    inside.storage_offset = 8;
    const NodeId part = call("part", "aten.view.default", {made}, inside);
    const NodeId of_part = call("of_part", "aten.view.default", {part}, sketch.bytes(32, 54));
    const Graph graph = sketch.finish({larger, elsewhere, of_part});
    const StorageTable table(graph, StorageRule::corrected);
    EXPECT_NE(held(table, larger), held(table, made));
    EXPECT_NE(held(table, elsewhere), held(table, made));
    EXPECT_EQ(held(table, part), held(table, made));
    EXPECT_NE(held(table, of_part), held(table, made)) << "where in the part it lies is not known";
}

TEST_F(Storages, ItemsOfASplitWithoutTensorsLieInWhatIsSplit) {
    const NodeId made = compute("made", {x}, sketch.bytes(64, 51));
    const NodeId split = sketch.call("split", "aten.split.Tensor", {Value::of_node(made), Value::of_integer(32)}, {});
    const NodeId item =
        sketch.call("item", "operator.getitem", {Value::of_node(split), Value::of_integer(1)}, {sketch.bytes(64, 60)});
    const Graph graph = sketch.finish({item});
    const StorageTable table(graph, StorageRule::corrected);
    EXPECT_EQ(held(table, item), held(table, made));
}

TEST_F(Storages, WhatIsCopiedToTheHostIsHeldUntilTheCopyIsAwaited) {
    const TensorMeta host = sketch.bytes(64, {}, "cpu");
    const NodeId made = compute("made", {x}, sketch.bytes(64));
    const NodeId out = call("out", "ao.offload.default", {made}, host);
    compute("between", {x}, sketch.bytes(8));
    const NodeId there = call("there", "ao.wait_tensor.default", {out}, host);  // it does not name what is copied
    const Graph graph = sketch.finish({there});
    const StorageTable table(graph, StorageRule::corrected);
    EXPECT_EQ(released_by(table, made), there);
    EXPECT_EQ(held(table, there), held(table, out));
    EXPECT_FALSE(table.storages()[held(table, there)].counted);
}

TEST_F(Storages, AReloadIsHeldUntilItsWait) {
    const NodeId back = call("back", "ao.reload.default", {x}, sketch.bytes(64));
    compute("between", {x}, sketch.bytes(8));
    const NodeId here = call("here", "ao.wait_tensor.default", {back}, sketch.bytes(64));
    const NodeId last = compute("last", {here}, sketch.bytes(8));
    const Graph graph = sketch.finish({last});
    const StorageTable table(graph, StorageRule::corrected);
    EXPECT_EQ(held(table, here), held(table, back));
    EXPECT_EQ(released_by(table, back), last);
}

TEST_F(Storages, WhatAWrappedCollectiveReadsIsHeldUntilItsWait) {
    const NodeId gradient = compute("gradient", {x}, sketch.bytes(64));
    const NodeId subgraph = sketch.get_attr("subgraph_all_reduce", "subgraph_all_reduce");
    const NodeId reduced =
        sketch.call("all_reduce", "higher_order.control_deps",
                    {sketch.list({}), Value::of_node(subgraph), Value::of_node(gradient)}, {sketch.bytes(64)}, 4.0);
    const NodeId waited = call("waited", "_c10d_functional.wait_tensor.default", {reduced}, sketch.bytes(64));
    const NodeId last = compute("last", {waited}, sketch.bytes(8));
    const Graph graph = sketch.finish({last});
    EXPECT_EQ(released_by(StorageTable(graph, StorageRule::corrected), gradient), waited);
}

TEST_F(Storages, WhatNothingConsumesGoesAtOnceAndWhatIsGivenStays) {
    const NodeId unused = compute("unused", {x}, sketch.bytes(64));
    const NodeId constant = sketch.get_attr("constant", "constant", sketch.bytes(32));
    const NodeId last = compute("last", {constant}, sketch.bytes(8));
    const Graph graph = sketch.finish({last});
    const StorageTable table(graph, StorageRule::corrected);
    EXPECT_EQ(released_by(table, unused), unused);
    EXPECT_EQ(released_by(table, constant), no_node);
    EXPECT_EQ(released_by(table, x), no_node);
    EXPECT_EQ(memory_profile(graph, StorageRule::corrected).points,
              (std::vector<std::int64_t>{544, 608, 544, 552, 552}));
}

/// A number of its own says that such an operator has copied, unless a view would do.
TEST_F(Storages, ReshapesAndConversionsShareOnlyWhatTheyNeedNotCopy) {
    TensorMeta turned = sketch.tensor("float32", {8, 4});
    turned.first_dimension =
        sketch.builder().dimensions(std::array<std::int64_t, 2>{8, 4}, std::array<std::int64_t, 2>{1, 8});
    const NodeId made = compute("made", {x}, sketch.tensor("float32", {8, 4}));
    const NodeId made_turned = compute("made_turned", {x}, turned);
    const NodeId flat = call("flat", "aten.reshape.default", {made}, sketch.tensor("float32", {32}));
    const NodeId flat_copy = call("flat_copy", "aten.reshape.default", {made_turned}, sketch.tensor("float32", {32}));
    const NodeId kept = call("kept", "aten.to.dtype", {made}, sketch.tensor("float32", {8, 4}));
    const NodeId cast = call("cast", "aten.to.dtype", {made}, sketch.tensor("bfloat16", {8, 4}));
    const NodeId copy = call("copy", "aten.contiguous.default", {made_turned}, sketch.tensor("float32", {8, 4}));
    const Graph graph = sketch.finish({flat, flat_copy, kept, cast, copy});
    const StorageTable table(graph, StorageRule::corrected);
    EXPECT_EQ(held(table, flat), held(table, made));
    EXPECT_EQ(held(table, kept), held(table, made));
    EXPECT_NE(held(table, cast), held(table, made));
    EXPECT_NE(held(table, flat_copy), held(table, made_turned));
    EXPECT_NE(held(table, copy), held(table, made_turned));
}

TEST_F(Storages, ItemsOfWhatHasNoTensorsHaveMemoryOfTheirOwn) {
    const NodeId made = compute("made", {x}, sketch.bytes(64));
    const NodeId two = sketch.call("two", "mylib.two_results.default", {Value::of_node(made)}, {});
    const NodeId item =
        sketch.call("item", "operator.getitem", {Value::of_node(two), Value::of_integer(0)}, {sketch.bytes(64)});
    const Graph graph = sketch.finish({item});
    const StorageTable table(graph, StorageRule::corrected);
    EXPECT_NE(held(table, item), held(table, made));
}

TEST_F(Storages, NegativeItemsCountFromTheEnd) {
    const NodeId gathered = sketch.call("gathered", "_c10d_functional.all_gather_into_tensor_coalesced.default",
                                        {sketch.list({Value::of_node(x)}), Value::of_integer(4), sketch.text("0")},
                                        {sketch.bytes(64), sketch.bytes(64)}, 1);
    const auto item = [&](const char* name, std::int64_t index) {
        return sketch.call(name, "operator.getitem", {Value::of_node(gathered), Value::of_integer(index)},
                           {sketch.bytes(64)});
    };
    const NodeId last = item("last", -1), none = item("none", 2);
    const Graph graph = sketch.finish({last, none});
    const StorageTable table(graph, StorageRule::corrected);
    EXPECT_EQ(held(table, last), table.held_by(gathered)[1]);
    EXPECT_EQ(table.storages()[held(table, none)].allocator, none);
}

/// No gather is counted beside its wait.
TEST(StoragesOfRealGraphs, NoWaitHasMemoryOfItsOwn) {
    std::size_t waits = 0;
    for (const std::filesystem::path& file : reference_graph_files()) {
        const auto graph = read_graph_file(file);
        const StorageTable table(*graph, StorageRule::corrected);
        for (NodeId node = 0; node < graph->node_count(); ++node) {
            if (graph->op(node) != NodeOp::call_function || !graph->target_info(node).is_wait) continue;
            ++waits;
            for (const StorageIndex storage : table.held_by(node))
                EXPECT_NE(table.storages()[storage].allocator, node) << file << ' ' << graph->name(node);
        }
    }
    EXPECT_GT(waits, 100u);
}

}  // namespace
}  // namespace overlap::test
