// Which kernels become one, what they read and write, and where they are launched.

#include <gtest/gtest.h>

#include "tests/predict/kernel_sketch.h"
#include "tests/support/call_with.h"

namespace overlap::test {
namespace {

class KernelFusion : public ::testing::Test, protected KernelSketch {};

TEST_F(KernelFusion, JoinsKernelsOverTheSameElementsThatReadOneTensor) {
    const NodeId x = input("x"), y = input("y"), a = pointwise("a", {x}), b = pointwise("b", {x, y});
    EXPECT_EQ(kernels({a, b}), (Lines{"a b: x 400, y 400 -> a 400, b 400"}));
}

TEST_F(KernelFusion, LeavesKernelsThatShareNothing) {
    const NodeId x = input("x"), y = input("y"), a = pointwise("a", {x}), b = pointwise("b", {y});
    EXPECT_EQ(kernels({a, b}), (Lines{"a: x 400 -> a 400", "b: y 400 -> b 400"}));
}

TEST_F(KernelFusion, LeavesKernelsOfOtherRegions) {
    const NodeId x = input("x"), a = pointwise("a", {x}), b = pointwise("b", {x});
    EXPECT_EQ(kernels_in({0, 0, 1, 1}, {a, b}), (Lines{"a: x 400 -> a 400", "b: x 400 -> b 400"}));
}

TEST_F(KernelFusion, LeavesWhatIsNotCompiled) {
    const NodeId x = input("x"), a = pointwise("a", {x});
    pointwise("b", {a});
    // There each writes what it computes, whether or not anything reads it.
    EXPECT_EQ(kernels_in({-1}, {}), (Lines{"a: x 400 -> a 400", "b: a 400 -> b 400"}));
}

TEST_F(KernelFusion, JoinsAReductionWithWhatRunsOverItsElementsAndItsRows) {
    const NodeId x = input("x", {4, 25}), elements = call("elements", "aten.exp.default", {x}, {4, 25});
    const NodeId rows = sum("rows", x, 1, {4}), of_rows = call("of_rows", "aten.exp.default", {rows}, {4});
    EXPECT_EQ(kernels({elements, rows, of_rows}),
              (Lines{"elements rows of_rows: x 400 -> elements 400, rows 16, of_rows 16"}));
}

TEST_F(KernelFusion, LeavesAReductionAndWhatRunsOverOtherElements) {
    const NodeId x = input("x", {4, 25}), rows = sum("rows", x, 1, {4});
    const NodeId part = call("part", "aten.slice.Tensor", {x}, {4, 5});
    const NodeId some = call("some", "aten.exp.default", {part}, {4, 5});
    const NodeId more = call("more", "aten.mul.Tensor", {rows, x}, {2, 4, 25});
    EXPECT_EQ(kernels({rows, some, more}),
              (Lines{"rows: x 400 -> rows 16", "some: x/part 80 -> some 80", "more: x 400, rows 16 -> more 800"}));
}

TEST_F(KernelFusion, LeavesColumnsAndElements) {
    const NodeId x = input("x", {4, 25}), columns = sum("columns", x, 0, {25});
    const NodeId elements = call("elements", "aten.exp.default", {x}, {4, 25});
    const NodeId of_columns = call("of_columns", "aten.exp.default", {columns}, {25});
    EXPECT_EQ(kernels({columns, elements, of_columns}),
              (Lines{"columns: x 400 -> columns 100", "elements: x 400 -> elements 400",
                     "of_columns: columns 100 -> of_columns 100"}));
}

TEST_F(KernelFusion, LeavesElementsAndColumns) {
    const NodeId x = input("x", {4, 25}), elements = call("elements", "aten.exp.default", {x}, {4, 25});
    const NodeId columns = sum("columns", x, 0, {25});
    EXPECT_EQ(kernels({elements, columns}),
              (Lines{"elements: x 400 -> elements 400", "columns: x 400 -> columns 100"}));
}

TEST_F(KernelFusion, LeavesColumnsAndRows) {
    const NodeId x = input("x"), columns = sum("columns", x, 0), rows = sum("rows", x, 1);
    EXPECT_EQ(kernels({columns, rows}), (Lines{"columns: x 400 -> columns 40", "rows: x 400 -> rows 40"}));
}

TEST_F(KernelFusion, JoinsReductionsOverTheSameRows) {
    const NodeId x = input("x"), one = sum("one", x, 1), two = sum("two", x, 1);
    const NodeId first = sum("first", x, 0), second = sum("second", x, 0);
    EXPECT_EQ(kernels({one, two, first, second}),
              (Lines{"one two: x 400 -> one 40, two 40", "first second: x 400 -> first 40, second 40"}));
}

TEST_F(KernelFusion, LeavesReductionsOverOtherRows) {
    const NodeId x = input("x"), view = call("view", "aten.view.default", {x}, {20, 5});
    const NodeId one = sum("one", x, 1), two = sum("two", view, 1, {20});
    EXPECT_EQ(kernels({one, two}), (Lines{"one: x 400 -> one 40", "two: x 400 -> two 80"}));
}

TEST_F(KernelFusion, WithAReductionIsAReduction) {
    const NodeId x = input("x"), elements = pointwise("elements", {x}), rows = sum("rows", x, 1);
    const FusedKernels made = fused_kernels(sketch.finish({elements, rows}));
    ASSERT_EQ(made.kernels.size(), 1u);
    EXPECT_EQ(made.kernels[0].role, KernelRole::reduction);
    EXPECT_EQ(made.kernels[0].loops, (KernelLoops{10, 10, false}));
    EXPECT_EQ(made.kernel_of_node, (std::vector<std::int32_t>{-1, 0, 0, -1}));
}

TEST_F(KernelFusion, LeavesKernelsBetweenWhichAnotherHasToRun) {
    const NodeId x = input("x"), a = pointwise("a", {x}), m = product("m", a, a), b = pointwise("b", {a, m});
    EXPECT_EQ(kernels({b}), (Lines{"a: x 400 -> a 400", "m: a 400 -> m 400", "b: a 400, m 400 -> b 400"}));
}

TEST_F(KernelFusion, LeavesKernelsBetweenWhichACollectiveHasToBeAwaited) {
    const NodeId x = input("x"), a = pointwise("a", {x});
    const NodeId g = call("g", "_c10d_functional.all_reduce.default", {a});
    const NodeId view = call("view", "aten.view.default", {g}, {100});
    const NodeId w = call("w", "_c10d_functional.wait_tensor.default", {view}), b = pointwise("b", {x, w});
    EXPECT_EQ(kernels({b}), (Lines{"a: x 400 -> a 400", "g: a 400 -> g 400", "b: x 400, g 400 -> b 400"}));
}

TEST_F(KernelFusion, JoinsKernelsBesideWhichAnotherRuns) {
    const NodeId x = input("x"), a = pointwise("a", {x}), m = product("m", a, a), b = pointwise("b", {a, x});
    EXPECT_EQ(kernels({m, b}), (Lines{"a b: x 400 -> a 400, b 400", "m: a 400 -> m 400"}));
}

TEST_F(KernelFusion, JoinsFirstWhatSharesMost) {
    // The product of x and y could run with the sums of either, but then no longer with the other's.
    for (const std::string_view of_x : {"float16", "float64"}) {
        KernelSketch drawn;
        const NodeId x = drawn.sketch.input("x", drawn.sketch.tensor(of_x, {10, 10})), y = drawn.input("y", {20, 5});
        const NodeId tens = drawn.sum("tens", x, 1), fives = drawn.sum("fives", y, 1, {20});
        const NodeId both = drawn.pointwise("both", {x, y});
        const Lines made = drawn.kernels({tens, fives, both});
        ASSERT_EQ(made.size(), 2u);
        if (of_x == "float16") {
            EXPECT_EQ(made[1], "fives both: x 200, y 400 -> fives 80, both 400");
        } else {
            EXPECT_EQ(made[0], "tens both: x 800, y 400 -> tens 40, both 400");
        }
    }
}

TEST_F(KernelFusion, JoinsWhatARefusedPairHasNothingToDoWith) {
    // Between a and b run both products; between c and d, which reads one of them, nothing does.
    const NodeId x = input("x"), y = input("y"), a = pointwise("a", {x}), c = pointwise("c", {y});
    const NodeId m = product("m", a, a), n = product("n", a, a);
    const NodeId b = pointwise("b", {a, m, n}), d = pointwise("d", {y, m});
    EXPECT_EQ(kernels({b, c, d}),
              (Lines{"a: x 400 -> a 400", "c b d: y 400, a 400, m 400, n 400 -> c 400, b 400, d 400",
                     "m: a 400 -> m 400", "n: a 400 -> n 400"}));
}

/// How many operators each kernel has, of a graph in which one tensor has a reader for each letter: `e` all its
/// elements, `c` the sums of its columns.
std::vector<std::size_t> kernels_of_readers(const std::string& readers) {
    KernelSketch drawn;
    const NodeId x = drawn.input("x");
    std::vector<Value> returned;
    for (std::size_t index = 0; index < readers.size(); ++index) {
        const std::string name = readers[index] + std::to_string(index);
        returned.push_back(Value::of_node(readers[index] == 'e' ? drawn.pointwise(name, {x}) : drawn.sum(name, x, 0)));
    }
    drawn.sketch.builder().output(returned);
    std::vector<std::size_t> sizes;
    for (const FusedKernel& kernel : fused_kernels(drawn.sketch.builder().finish(drawn.sketch.header())).kernels)
        sizes.push_back(kernel.nodes.size());
    return sizes;
}

TEST(ReadersOfATensor, AreComparedEachWithEachWhereTheyAreFew) {
    EXPECT_EQ(kernels_of_readers("ececec"), (std::vector<std::size_t>{3, 3}));
}

TEST(ReadersOfATensor, AreComparedWithTheNextWhereTheyAreMany) {
    EXPECT_EQ(kernels_of_readers("cceeeeeeeeeeeeeeeee"), (std::vector<std::size_t>{2, 17}));
    EXPECT_EQ(kernels_of_readers("ecececececececececec"), std::vector<std::size_t>(20, 1));
}

TEST(ReadersOfATensor, AreFewWhenSomeHaveBecomeOne) {
    EXPECT_EQ(kernels_of_readers("eeceeceeceeceeceec"), (std::vector<std::size_t>{12, 6}));
}

TEST(ReadersOfATensor, AreAtMost64InAKernel) {
    EXPECT_EQ(kernels_of_readers(std::string(65, 'e')), (std::vector<std::size_t>{64, 1}));
}

TEST_F(KernelFusion, ReadsPartsOfATensor) {
    const NodeId x = input("x"), top = call("top", "aten.slice.Tensor", {x}, {2, 10});
    const NodeId bottom = call("bottom", "aten.slice.Tensor", {x}, {2, 10});
    const NodeId a = call("a", "aten.add.Tensor", {top, bottom}, {2, 10});
    EXPECT_EQ(kernels({a}), (Lines{"a: x/top 80, x/bottom 80, in all 80 -> a 80"}));
}

TEST_F(KernelFusion, ReadsNoMoreOfATensorThanItHas) {
    const NodeId x = input("x"), front = call("front", "aten.slice.Tensor", {x}, {9, 10});
    const NodeId back = call("back", "aten.slice.Tensor", {x}, {9, 10});
    const NodeId a = call("a", "aten.cat.default", {front, back}, {18, 10});
    EXPECT_EQ(kernels({a}), (Lines{"a: x/front 360, x/back 360, in all 400 -> a 720"}));
}

TEST_F(KernelFusion, ReadsOfAnEmbeddingTheRowsThatItNeeds) {
    const NodeId table = input("table", {1000, 8});
    const NodeId tokens = sketch.input("tokens", sketch.tensor("int64", {4}));
    const NodeId rows = call("rows", "aten.embedding.default", {table, tokens}, {4, 8});
    EXPECT_EQ(kernels({rows}), (Lines{"rows: table 32000, tokens 32, in all 160 -> rows 128"}));
}

TEST_F(KernelFusion, WritesOfAScatterWhatItChanges) {
    const NodeId table = input("table", {1000, 8}), rows = input("rows", {4, 8});
    const NodeId index = sketch.input("index", sketch.tensor("int64", {4, 8}));
    const NodeId added = call("added", "aten.scatter_add.default", {table, index, rows}, {1000, 8});
    EXPECT_EQ(kernels({added}), (Lines{"added: rows 128, index 256 -> added 384"}));
}

TEST_F(KernelFusion, ReadsTwiceForTheGradientOfANormsWeight) {
    const NodeId x = input("x"), gradient = input("gradient");
    const NodeId a = call("a", "aten.native_layer_norm_backward.default", {gradient, x});
    EXPECT_EQ(kernels({a}), (Lines{"a: x 400, gradient 400, in all 1600 -> a 400"}));
}

TEST_F(KernelFusion, MovesTheTableOfAnEmbeddingsGradient) {
    const NodeId gradient = input("gradient", {4, 8});
    const NodeId a = call("a", "aten.embedding_dense_backward.default", {gradient}, {10, 8});
    // Filled and converted, both of 320 bytes; 128 added; the gradient read.
    EXPECT_EQ(kernels({a}), (Lines{"a: gradient 128, in all 896 -> a 320"}));
}

TEST(PartsOfAKernel, FollowFromWhatItsOperatorsReturn) {
    KernelSketch drawn;
    const NodeId x = drawn.input("x"), small = drawn.input("small", {50}), none = drawn.input("none", {0});
    const Graph graph = drawn.sketch.finish();
    EXPECT_EQ(parts_of_kernel(graph, std::vector<NodeId>{x, small, small}), (std::vector<double>{0.5, 0.25, 0.25}));
    EXPECT_EQ(parts_of_kernel(graph, std::vector<NodeId>{none, none}), (std::vector<double>{0.5, 0.5}));
}

class LaunchedInGraphOrder : public ::testing::Test, protected KernelSketch {
  protected:
    NodeId wait(std::string_view name, NodeId source) {
        return call(name, "_c10d_functional.wait_tensor.default", {source});
    }
    NodeId reduce(std::string_view name, NodeId source) {
        return call(name, "_c10d_functional.all_reduce.default", {source});
    }
    Lines launched(std::initializer_list<NodeId> returned) { return kernels(returned, LaunchOrder::of_graph); }
};

TEST_F(LaunchedInGraphOrder, KernelsAreBeforeWhatReadsThem) {
    const NodeId x = input("x"), a = pointwise("a", {x}), m = product("m", a, a), b = pointwise("b", {x});
    EXPECT_EQ(launched({m, b}), (Lines{"a b at a: x 400 -> a 400, b 400", "m: a 400 -> m 400"}));
}

TEST_F(LaunchedInGraphOrder, KernelsAreBehindWhatTheyRead) {
    const NodeId x = input("x"), y = input("y"), a = pointwise("a", {x}), m = product("m", y, y);
    const NodeId b = pointwise("b", {x, m});
    EXPECT_EQ(launched({a, b}), (Lines{"a b: x 400, m 400 -> a 400, b 400", "m: y 400 -> m 400"}));
}

TEST_F(LaunchedInGraphOrder, KernelsMayBeTheFirstOfTheGraph) {
    const NodeId a = call("a", "aten.full.default", {}), m = product("m", a, a), b = pointwise("b", {a});
    EXPECT_EQ(launched({m, b}), (Lines{"a b at a: -> a 400, b 400", "m: a 400 -> m 400"}));
}

TEST_F(LaunchedInGraphOrder, KernelsStayApartWithoutAPlaceForBoth) {
    const NodeId x = input("x"), y = input("y"), a = pointwise("a", {x}), m = product("m", a, a);
    const NodeId n = product("n", y, y), b = pointwise("b", {x, n});
    EXPECT_EQ(launched({m, b}),
              (Lines{"a: x 400 -> a 400", "m: a 400 -> m 400", "n: y 400 -> n 400", "b: x 400, n 400 -> b 400"}));
}

TEST_F(LaunchedInGraphOrder, KernelsAreBehindTheWaitsOfWhatTheyRead) {
    const NodeId x = input("x"), y = input("y"), r = reduce("r", y), a = pointwise("a", {x});
    const NodeId m = product("m", a, a), w = wait("w", r), b = pointwise("b", {x, w});
    EXPECT_EQ(launched({m, b}),
              (Lines{"r: y 400 -> r 400", "a: x 400 -> a 400", "m: a 400 -> m 400", "b: x 400, r 400 -> b 400"}));
}

TEST_F(LaunchedInGraphOrder, KernelsAreBehindWaitsThatViewsHide) {
    const NodeId x = input("x"), y = input("y"), r = reduce("r", y), a = pointwise("a", {x});
    const NodeId m = product("m", a, a), w = wait("w", r), view = call("view", "aten.view.default", {w}, {100});
    const NodeId b = pointwise("b", {x, view});
    EXPECT_EQ(launched({m, b}),
              (Lines{"r: y 400 -> r 400", "a: x 400 -> a 400", "m: a 400 -> m 400", "b: x 400, r 400 -> b 400"}));
}

TEST_F(LaunchedInGraphOrder, KernelsAreBehindWhatWritesIntoMemoryThatTheyRead) {
    const NodeId x = input("x"), y = input("y"), empty = call("empty", "aten.empty.memory_format", {});
    const NodeId view = call("view", "aten.view.default", {empty}), a = pointwise("a", {x});
    test::call_with(sketch.builder(), "fill", "aten.split_with_sizes_copy.out", {Value::of_node(y)},
                    {{"out", sketch.list({Value::of_node(view)})}});
    // Behind the copy into the memory of `view`, before the product that reads `a`.
    const NodeId c = pointwise("c", {x}), m = product("m", a, a), b = pointwise("b", {x, view});
    EXPECT_EQ(launched({a, b, c, m}), (Lines{"a c b at c: x 400 -> a 400, c 400, b 400", "m: a 400 -> m 400"}));
}

TEST_F(LaunchedInGraphOrder, KernelsThatWaitTogetherAreOne) {
    const NodeId y = input("y"), r = reduce("r", y), w = wait("w", r);
    const NodeId a = pointwise("a", {w}), m = product("m", a, a), b = pointwise("b", {w});
    EXPECT_EQ(launched({m, b}), (Lines{"r: y 400 -> r 400", "a b at a: r 400 -> a 400, b 400", "m: a 400 -> m 400"}));
}

}  // namespace
}  // namespace overlap::test
