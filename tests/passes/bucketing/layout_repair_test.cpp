#include "core/passes/bucketing/layout_repair.h"

#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

/// Views of one matrix, as documents may have them that no compiler wrote.
class LayoutRepairTest : public test::PassTest {
  protected:
    LayoutRepairTest() { matrix_ = placeholder("matrix", {2, 3}); }

    /// Strides of `view` once it has been evaluated anew.
    std::vector<std::int64_t> repaired(NodeId view) { return strides_after(view, view); }
    /// Strides of `view` once `first` has been evaluated anew.
    std::vector<std::int64_t> strides_after(NodeId first, NodeId view) {
        output({view});
        GraphEditor editor(std::make_shared<const Graph>(builder_.finish(header_)));
        repair_layouts(editor, std::span(&first, 1));
        const auto strides = editor.stride(editor.outputs(view).front());
        return {strides.begin(), strides.end()};
    }

    NodeId transposed(std::int64_t first, std::int64_t second) {
        return call("view", "aten.transpose.int",
                    {Value::of_node(matrix_), Value::of_integer(first), Value::of_integer(second)}, {3, 2});
    }

    using Strides = std::vector<std::int64_t>;
    NodeId matrix_;
};

TEST_F(LayoutRepairTest, DimensionsAreSwapped) {
    EXPECT_EQ(repaired(transposed(0, -1)), (Strides{1, 3}));
}

TEST_F(LayoutRepairTest, WhatReadsAViewThatHasChangedIsEvaluatedToo) {
    const NodeId view = transposed(0, 1);
    const NodeId alias = call("alias", "aten.alias.default", {view}, {3, 2});
    EXPECT_EQ(strides_after(view, alias), (Strides{1, 3}));
}

TEST_F(LayoutRepairTest, AGetitemBeyondTheResultsStaysAsItWas) {
    TensorMeta swapped = tensor({3, 2});
    const std::int64_t sizes[] = {3, 2}, strides[] = {1, 3};
    swapped.first_dimension = builder_.dimensions(sizes, strides);
    const TensorMeta parts[] = {swapped, swapped};
    const Value input = Value::of_node(matrix_);
    const NodeId split = builder_.call("split", "aten.split.Tensor", {&input, 1}, parts);
    builder_.call("other", "aten.t.default", {&input, 1}, {&swapped, 1});
    const auto item = [&](std::string_view name, std::int64_t index) {
        return call(name, "operator.getitem", {Value::of_node(split), Value::of_integer(index)}, {3, 2});
    };
    const NodeId within = item("within", 1), beyond = item("beyond", 2);
    output({within, beyond});
    GraphEditor editor(std::make_shared<const Graph>(builder_.finish(header_)));
    const NodeId both[] = {within, beyond};
    repair_layouts(editor, both);
    const auto first_stride = [&](NodeId node) { return editor.stride(editor.outputs(node).front()).front(); };
    EXPECT_EQ(first_stride(within), 1);
    EXPECT_EQ(first_stride(beyond), 2);
}

TEST_F(LayoutRepairTest, WherePyTorchRaisesANodeStaysAsItWas) {
    EXPECT_EQ(repaired(transposed(0, 2)), (Strides{2, 1}));
}

TEST_F(LayoutRepairTest, NegativeDimensionsBeyondTheFirstRaiseToo) {
    EXPECT_EQ(repaired(transposed(-3, 0)), (Strides{2, 1}));
}

TEST_F(LayoutRepairTest, AResultOfAnotherRankIsRefused) {
    const NodeId view = call("view", "aten.t.default", {matrix_}, {1, 3, 2, 1});
    try {
        repaired(view);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(error.problem().find("a rank of 2, where the document gives it one of 4"), std::string::npos)
            << error.problem();
    }
}

}  // namespace
}  // namespace overlap
