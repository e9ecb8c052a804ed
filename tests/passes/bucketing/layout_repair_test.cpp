#include "core/passes/bucketing/layout_repair.h"

#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

/// Views of one matrix, as documents may have them that no compiler wrote.
class LayoutRepairTest : public test::PassTest {
  protected:
    LayoutRepairTest() { matrix_ = placeholder("matrix", {2, 3}); }

    /// Strides of `view` once it has been evaluated anew.
    std::vector<std::int64_t> repaired(NodeId view) {
        output({view});
        GraphEditor editor(std::make_shared<const Graph>(builder_.finish(header_)));
        repair_layouts(editor, std::span(&view, 1));
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
