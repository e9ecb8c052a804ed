// Which values reach memory: those that are computed again where they are read do not, and of a normalisation only
// the numbers of each row do.

#include <gtest/gtest.h>

#include "tests/predict/kernel_sketch.h"

namespace overlap::test {
namespace {

class KernelValues : public ::testing::Test, protected KernelSketch {};

TEST_F(KernelValues, AreComputedWhereTheirOnlyReaderIs) {
    const NodeId x = input("x"), a = pointwise("a", {x}), b = pointwise("b", {a});
    EXPECT_EQ(kernels({b}), (Lines{"b: x 400 -> b 400"}));
}

TEST_F(KernelValues, AreKeptWhereTheyAreReturned) {
    const NodeId x = input("x"), a = pointwise("a", {x}), b = pointwise("b", {a});
    EXPECT_EQ(kernels({a, b}), (Lines{"a b: x 400 -> a 400, b 400"}));
}

TEST_F(KernelValues, AreKeptForWhatIsNoKernelOfTheCompiler) {
    const NodeId x = input("x"), a = pointwise("a", {x}), m = product("m", a, x), b = pointwise("b", {m});
    EXPECT_EQ(kernels({b}), (Lines{"a: x 400 -> a 400", "m: x 400, a 400 -> m 400", "b: m 400 -> b 400"}));
}

TEST_F(KernelValues, AreKeptForCollectives) {
    const NodeId x = input("x"), a = pointwise("a", {x});
    const NodeId g = call("g", "_c10d_functional.all_gather_into_tensor.default", {a}, {40, 10});
    const NodeId w = call("w", "_c10d_functional.wait_tensor.default", {g}, {40, 10});
    EXPECT_EQ(kernels({w}), (Lines{"a: x 400 -> a 400", "g: a 400 -> g 1600"}));
}

TEST_F(KernelValues, AreKeptForAnotherRegion) {
    const NodeId x = input("x"), a = pointwise("a", {x}), b = pointwise("b", {a});
    EXPECT_EQ(kernels_in({0, 0, 1, 1}, {b}), (Lines{"a: x 400 -> a 400", "b: a 400 -> b 400"}));
}

TEST_F(KernelValues, AreKeptWhereAReaderWritesIntoThem) {
    const NodeId x = input("x"), a = pointwise("a", {x}), b = call("b", "aten.add_.Tensor", {a, x});
    const NodeId c = pointwise("c", {b});
    EXPECT_EQ(kernels({c}), (Lines{"a b c: x 400 -> c 400"}));
}

TEST_F(KernelValues, AreNotKeptForAReaderThatWritesIntoAnother) {
    const NodeId x = input("x"), y = input("y"), a = pointwise("a", {x}), b = call("b", "aten.add_.Tensor", {y, a});
    EXPECT_EQ(kernels({b}), (Lines{"b: x 400, y 400 -> b 400"}));
}

TEST_F(KernelValues, OfFourReadsAreComputedInEachReader) {
    for (const std::size_t reads : {4u, 5u}) {
        KernelSketch drawn;
        std::vector<Value> inputs;
        for (std::size_t index = 0; index < reads; ++index)
            inputs.push_back(Value::of_node(drawn.input("x" + std::to_string(index))));
        const NodeId a = drawn.sketch.call("a", "aten.cat.default", {drawn.sketch.list(inputs)},
                                           {drawn.sketch.tensor("float32", {10, 10})});
        const NodeId b = drawn.pointwise("b", {a}), c = drawn.pointwise("c", {a});
        const Lines made = drawn.kernels({b, c});
        ASSERT_EQ(made.size(), 1u);
        EXPECT_TRUE(made[0].starts_with(reads == 4 ? "b c: " : "a b c: ")) << made[0];
    }
}

TEST_F(KernelValues, OfManyReadsAreComputedInOneReader) {
    Lines names{"x0", "x1", "x2", "x3", "x4"};
    std::vector<Value> inputs;
    for (const std::string& name : names) inputs.push_back(Value::of_node(input(name)));
    const NodeId a = sketch.call("a", "aten.cat.default", {sketch.list(inputs)}, {sketch.tensor("float32", {10, 10})});
    const NodeId b = pointwise("b", {a});
    EXPECT_EQ(kernels({b}), (Lines{"b: x0 400, x1 400, x2 400, x3 400, x4 400 -> b 400"}));
}

TEST_F(KernelValues, AreReadThroughViews) {
    const NodeId x = input("x"), a = pointwise("a", {x}), view = call("view", "aten.view.default", {a}, {100});
    const NodeId b = call("b", "aten.relu.default", {view}, {100});
    EXPECT_EQ(kernels({b}), (Lines{"b: x 400 -> b 400"}));
}

TEST_F(KernelValues, AreReadWholeThroughAViewOfUnknownSize) {
    const NodeId x = input("x");
    const NodeId view = sketch.call("view", "operator.getitem", GraphSketch::values({x}), {TensorMeta{}});
    const NodeId b = pointwise("b", {view});
    EXPECT_EQ(kernels({b}), (Lines{"b: x 400 -> b 400"}));
}

TEST_F(KernelValues, AreKeptWhereAViewIsReturned) {
    const NodeId x = input("x"), a = pointwise("a", {x}), view = call("view", "aten.view.default", {a}, {100});
    EXPECT_EQ(kernels({view}), (Lines{"a: x 400 -> a 400"}));
}

TEST_F(KernelValues, AreKeptWhereTheyAreSeenAsComplex) {
    const NodeId x = input("x"), a = pointwise("a", {x});
    const NodeId view = sketch.call("view", "aten.view_as_complex.default", GraphSketch::values({a}),
                                    {sketch.tensor("complex64", {10, 5})});
    const NodeId real = call("real", "aten.view_as_real.default", {view}, {10, 5, 2});
    const NodeId b = pointwise("b", {real});
    EXPECT_EQ(kernels({b}), (Lines{"a b: x 400 -> b 400"}));
}

TEST_F(KernelValues, ThatNobodyReadsAreComputedButNotWritten) {
    const NodeId x = input("x");
    pointwise("a", {x});
    EXPECT_EQ(kernels({}), (Lines{"a: x 400 ->"}));
}

TEST_F(KernelValues, FromNumbersReadNothing) {
    const NodeId x = input("x"), ones = call("ones", "aten.ones_like.default", {x});
    EXPECT_EQ(kernels({ones}), (Lines{"ones: -> ones 400"}));
}

TEST_F(KernelValues, OfMemoryWithoutContentAreNotRead) {
    const NodeId x = input("x"), empty = call("empty", "aten.empty_like.default", {});
    const NodeId a = pointwise("a", {x, empty});
    EXPECT_EQ(kernels({a}), (Lines{"a: x 400 -> a 400"}));
}

TEST_F(KernelValues, OfANormalisationAreComputedAgainFromTheNumbersOfEachRow) {
    // The product of the row sums stands between both readers, so they are two kernels.
    const NodeId x = input("x"), s = call("s", "aten._softmax.default", {x});
    const NodeId rows = sum("rows", s, 1), m = call("m", "aten.mm.default", {rows, rows});
    const NodeId b = pointwise("b", {s, m});
    EXPECT_EQ(kernels({b}),
              (Lines{"s rows: x 400 -> s 40, rows 40", "m: rows 40 -> m 400", "b: x 400, s 40, m 400 -> b 400"}));
}

TEST_F(KernelValues, OfANormalisationAreComputedAgainInItsOnlyReader) {
    const NodeId x = input("x"), s = call("s", "aten._softmax.default", {x}), columns = sum("columns", s, 0);
    EXPECT_EQ(kernels({columns}), (Lines{"s: x 400 -> s 40", "columns: x 400, s 40 -> columns 40"}));
}

TEST_F(KernelValues, OfANormalisationAreKeptForALibrary) {
    const NodeId x = input("x"), s = call("s", "aten._softmax.default", {x}), m = product("m", s, x);
    EXPECT_EQ(kernels({m}), (Lines{"s: x 400 -> s 400", "m: x 400, s 400 -> m 400"}));
}

TEST_F(KernelValues, OfANormalisationThatNobodyReadsAreNotComputedAgain) {
    const NodeId x = input("x"), s = call("s", "aten._softmax.default", {x});
    EXPECT_EQ(kernels({s}), (Lines{"s: x 400 -> s 400"}));
}

TEST_F(KernelValues, OfANormalisationAreKeptWhereNothingIsCompiled) {
    const NodeId x = input("x"), s = call("s", "aten._softmax.default", {x}), b = pointwise("b", {s});
    EXPECT_EQ(kernels_in({-1}, {b}), (Lines{"s: x 400 -> s 400", "b: s 400 -> b 400"}));
}

/// Kernels of what is computed of `m`, a product of x and y.
class SumBehindAProduct : public ::testing::Test, protected KernelSketch {
  protected:
    NodeId x = input("x"), y = input("y"), z = input("z");
    NodeId m = product("m", x, y);
};

TEST_F(SumBehindAProduct, IsPartOfIt) {
    const NodeId s = call("s", "aten.add.Tensor", {m, z});
    EXPECT_EQ(kernels({s}), (Lines{"m s: x 400, y 400, z 400 -> s 400"}));
}

TEST_F(SumBehindAProduct, IsPartOfASecondTerm) {
    const NodeId s = call("s", "aten.add.Tensor", {z, m});
    EXPECT_EQ(kernels({s}), (Lines{"m s: x 400, y 400, z 400 -> s 400"}));
}

TEST_F(SumBehindAProduct, IsPartOfOneOfTwo) {
    const NodeId n = product("n", y, z), s = call("s", "aten.add.Tensor", {m, n});
    EXPECT_EQ(kernels({s}), (Lines{"m s: x 400, y 400, n 400 -> s 400", "n: y 400, z 400 -> n 400"}));
}

TEST_F(SumBehindAProduct, IsNotWhereTheProductIsReadElsewhere) {
    const NodeId s = call("s", "aten.add.Tensor", {m, z});
    EXPECT_EQ(kernels({m, s}), (Lines{"m: x 400, y 400 -> m 400", "s: z 400, m 400 -> s 400"}));
}

TEST_F(SumBehindAProduct, IsNotWhereATermHasOtherSizes) {
    const NodeId row = input("row", {10}), s = call("s", "aten.add.Tensor", {m, row});
    EXPECT_EQ(kernels({s}), (Lines{"m: x 400, y 400 -> m 400", "s: m 400, row 40 -> s 400"}));
}

TEST_F(SumBehindAProduct, IsNotOfItsOwnDouble) {
    const NodeId s = call("s", "aten.add.Tensor", {m, m});
    EXPECT_EQ(kernels({s}), (Lines{"m: x 400, y 400 -> m 400", "s: m 400 -> s 400"}));
}

TEST_F(SumBehindAProduct, IsNotInAnotherRegion) {
    const NodeId s = call("s", "aten.add.Tensor", {m, z});
    EXPECT_EQ(kernels_in({0, 0, 0, 0, 1}, {s}), (Lines{"m: x 400, y 400 -> m 400", "s: z 400, m 400 -> s 400"}));
}

TEST_F(SumBehindAProduct, IsNotWhereNothingIsCompiled) {
    const NodeId s = call("s", "aten.add.Tensor", {m, z});
    EXPECT_EQ(kernels_in({-1}, {s}), (Lines{"m: x 400, y 400 -> m 400", "s: z 400, m 400 -> s 400"}));
}

TEST_F(SumBehindAProduct, IsNoOtherOperator) {
    const NodeId s = pointwise("s", {m, z});
    EXPECT_EQ(kernels({s}), (Lines{"m: x 400, y 400 -> m 400", "s: z 400, m 400 -> s 400"}));
}

}  // namespace
}  // namespace overlap::test
