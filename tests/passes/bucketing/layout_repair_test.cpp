#include "core/passes/bucketing/layout_repair.h"

#include "core/passes/bucketing/traced_sequence.h"
#include "tests/passes/altered_graph.h"
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

/// One reader of a matrix that a bucket then returns elsewhere, as a document has it: [4, 6], 24 elements.
class MovedInputTest : public test::PassTest {
  protected:
    using Change = std::vector<test::Difference>;

    /// What stands there after the matrix has been moved: the strides and the offset of each result.
    static std::string text(const GraphEditor& graph, NodeId node) {
        std::string text;
        for (const TensorMeta& tensor : graph.outputs(node)) {
            if (!text.empty()) text += ", ";
            if (!tensor.is_tensor) text += "none";
            if (!tensor.is_tensor) continue;
            for (const std::int64_t stride : graph.stride(tensor)) text += std::to_string(stride) + " ";
            text += "@" + std::to_string(tensor.storage_offset);
        }
        return text;
    }
    /// The reader's, or why it is refused. @param strides of the matrix @param offset in elements
    std::string moved(const Change& change, std::vector<std::int64_t> strides, std::int64_t offset) {
        builder_ = {};
        const NodeId matrix = placeholder("matrix", {4, 6});
        output({call("reader", "aten.relu.default", {matrix}, {4, 6})});
        GraphEditor editor(test::altered(builder_.finish(header_), change));
        const std::vector<std::int64_t> sizes(editor.shape(editor.outputs(0).front()).begin(),
                                              editor.shape(editor.outputs(0).front()).end());
        TensorMeta& tensor = editor.mutable_outputs(0).front();
        tensor.first_dimension = editor.dimensions(sizes, strides);
        tensor.storage_offset = offset;
        tensor.storage = editor.new_storage();
        const NodeId reader = editor.source().find("reader");
        try {
            repair_layouts(editor, std::span(&reader, 1));
        } catch (const InputError& error) {
            return error.problem();
        }
        return text(editor, reader);
    }
    std::string shifted(const Change& change) { return moved(change, {6, 1}, 24); }
    std::string turned(const Change& change) { return moved(change, {1, 4}, 0); }
    /// The reader as another operator, of a result of its own place.
    static Change reads_as(const std::string& target, const std::string& args, const std::string& shape = "[4, 6]",
                           const std::string& strides = "[6, 1]", const Change& more = {}) {
        Change change = {{"reader", "/target", '"' + target + '"'},
                         {"reader", "/args", args},
                         {"reader", "/outputs/0/shape", shape},
                         {"reader", "/outputs/0/stride", strides},
                         {"reader", "/outputs/0/storage", "0"}};
        change.insert(change.end(), more.begin(), more.end());
        return change;
    }
};

TEST_F(MovedInputTest, ViewsMoveWithWhatTheyView) {
    const std::string all = R"(["%matrix"])";
    EXPECT_EQ(shifted(reads_as("aten.view.default", R"(["%matrix", [24]])", "[24]", "[1]")), "1 @24");
    EXPECT_EQ(shifted(reads_as("aten.reshape.default", R"(["%matrix", [24]])", "[24]", "[1]")), "1 @24");
    EXPECT_EQ(shifted(reads_as("aten.t.default", all, "[6, 4]", "[1, 6]")), "1 6 @24");
    EXPECT_EQ(shifted(reads_as("aten.detach.default", all)), "6 1 @24");
    EXPECT_EQ(shifted(reads_as("aten.alias.default", all)), "6 1 @24");
    EXPECT_EQ(shifted(reads_as("aten.relu_.default", all)), "6 1 @24");
    EXPECT_EQ(shifted(reads_as("aten.__iand__.Scalar", R"(["%matrix", 1])")), "6 1 @24");
    EXPECT_EQ(shifted(reads_as("aten.__and__.Scalar", R"(["%matrix", 1])")), "6 1 @0");  // a result of its own
    EXPECT_EQ(shifted(reads_as("aten.slice.Tensor", R"(["%matrix", 0, 1, 3])", "[2, 6]", "[6, 1]",
                               {{"reader", "/outputs/0/storage_offset", "6"}})),
              "6 1 @30");
}

TEST_F(MovedInputTest, AViewAsAnotherTypeCountsInElementsOfThat) {
    const std::string args = R"(["%matrix", {"dtype": "int16"}])";
    const auto as = [&](const std::string& dtype, const std::string& shape, const std::string& strides) {
        return shifted(
            reads_as("aten.view.dtype", args, shape, strides, {{"reader", "/outputs/0/dtype", '"' + dtype + '"'}}));
    };
    EXPECT_EQ(as("int16", "[4, 6]", "[6, 1]"), "6 1 @24");
    EXPECT_EQ(as("float32", "[4, 3]", "[3, 1]"), "3 1 @12");
    EXPECT_EQ(as("int8", "[4, 12]", "[12, 1]"), "12 1 @48");
}

TEST_F(MovedInputTest, DimensionsMayBeKeywordsAndPyTorchRaisesWithoutThem) {
    const auto transposed = [&](const std::string& args, const std::string& kwargs) {
        return turned(reads_as("aten.transpose.int", args, "[6, 4]", "[1, 6]", {{"reader", "/kwargs", kwargs}}));
    };
    EXPECT_EQ(transposed(R"(["%matrix", 0, 1])", "{}"), "4 1 @0");
    EXPECT_EQ(transposed(R"(["%matrix"])", R"({"dim0": 0, "dim1": -1})"), "4 1 @0");
    EXPECT_EQ(transposed(R"(["%matrix", 1])", R"({"dim1": 0})"), "4 1 @0");
    EXPECT_EQ(transposed(R"(["%matrix"])", "{}"), "1 6 @0");
    EXPECT_EQ(transposed(R"(["%matrix", 0])", "{}"), "1 6 @0");
    EXPECT_EQ(transposed(R"(["%matrix", "rows", 1])", "{}"), "1 6 @0");
}

TEST_F(MovedInputTest, ATensorWithoutDimensionsHasOneToName) {
    const auto scalar = [&](const std::string& first) {
        return moved(reads_as("aten.transpose.int", R"(["%matrix", )" + first + ", -1]", "[]", "[]",
                              {{"matrix", "/outputs/0/shape", "[]"}, {"matrix", "/outputs/0/stride", "[]"}}),
                     {}, 24);
    };
    EXPECT_EQ(scalar("0"), "@24");
    EXPECT_EQ(scalar("1"), "@0");  // PyTorch raises
}

TEST_F(MovedInputTest, PartsMoveWithWhatIsSplit) {
    const std::string part = R"("shape": [2, 6], "stride": [6, 1], "dtype": "bfloat16", "device": "cuda",
                                "storage": 0, "storage_bytes": 48)";
    const Change split = {{"reader", "/target", R"("aten.split.Tensor")"},
                          {"reader", "/args", R"(["%matrix", 2])"},
                          {"reader", "/multi", "true"},
                          {"reader", "/outputs", "[{" + part + "}, null, {" + part + R"(, "storage_offset": 12}])"}};
    EXPECT_EQ(shifted(split), "6 1 @24, none, 6 1 @36");
    EXPECT_EQ(moved(split, {6, 1}, 0), "6 1 @0, none, 6 1 @12");
    EXPECT_NE(turned(split).find("how aten.split.Tensor then lays out its result is not reproduced"),
              std::string::npos);
}

TEST_F(MovedInputTest, OtherStridesAreReproducedOrRefused) {
    const std::string all = R"(["%matrix"])";
    const auto refused = [&](const Change& change) {
        return turned(change).find("then lays out its result is not reproduced") != std::string::npos;
    };
    EXPECT_EQ(turned(reads_as("aten.t.default", all, "[6, 4]", "[1, 6]")), "4 1 @0");
    EXPECT_EQ(turned(reads_as("aten.view.default", R"(["%matrix", [24]])", "[24]", "[1]")), "1 @0");  // raises
    EXPECT_EQ(turned(reads_as("aten.mm.default", R"(["%matrix", "%matrix"])")), "6 1 @0");
    EXPECT_TRUE(refused(reads_as("aten.slice.Tensor", R"(["%matrix", 0, 1, 3])", "[2, 6]")));
    EXPECT_TRUE(refused(reads_as("aten.relu.default", all)));
    EXPECT_TRUE(refused(reads_as("aten._to_copy.default", all)));
    EXPECT_TRUE(refused(reads_as("aten.cumsum.default", R"(["%matrix", 0])")));
}

/// Rows with gaps between them: what is computed of each element alone has none.
TEST_F(MovedInputTest, GapsBetweenRowsDoNotChangeAResultWithoutThem) {
    const auto spaced = [&](const std::string& target, const std::string& strides) {
        return moved(reads_as(target, R"(["%matrix"])", "[4, 6]", strides), {8, 1}, 0);
    };
    EXPECT_EQ(spaced("aten.relu.default", "[6, 1]"), "6 1 @0");
    EXPECT_EQ(spaced("aten._to_copy.default", "[6, 1]"), "6 1 @0");
    EXPECT_NE(spaced("aten.relu.default", "[1, 4]").find("aten.relu.default"), std::string::npos);
    EXPECT_NE(spaced("aten.cumsum.default", "[6, 1]").find("aten.cumsum.default"), std::string::npos);
}

/// Other nodes than the bucket's users may read the same in the old way.
TEST_F(MovedInputTest, WhatIsNoTensorOrReadsNoneStays) {
    const std::string all = R"(["%matrix"])";
    EXPECT_EQ(turned({{"reader", "/outputs", ""}}), "");
    EXPECT_EQ(turned({{"reader", "/outputs", "[null]"}, {"reader", "/target", R"("aten.alias.default")"}}), "none");
    EXPECT_EQ(turned(reads_as("aten.t.default", R"([1, "%matrix"])")), "6 1 @0");
    EXPECT_EQ(
        turned(reads_as("aten.t.default", all, "[4, 6]", "[6, 1]",
                        {{"matrix", "/outputs/0/shape", "[4, 3, 2]"}, {"matrix", "/outputs/0/stride", "[6, 2, 1]"}})),
        "6 1 @0");
}

TEST_F(MovedInputTest, AViewInAnotherStorageThanItsInputIsNotKnownToHaveMovedAlone) {
    const auto sliced = [&](const std::string& storage) {
        return shifted(reads_as("aten.slice.Tensor", R"(["%matrix", 0, 1, 3])", "[2, 6]", "[6, 1]",
                                {{"reader", "/outputs/0/storage", storage}}));
    };
    EXPECT_EQ(sliced("0"), "6 1 @24");
    EXPECT_NE(sliced("7").find("aten.slice.Tensor"), std::string::npos);
}

/// A turned input that is as it was before is no reason to evaluate anew; the same of a new node is one.
TEST_F(MovedInputTest, OnlyInputsThatChangedMatterToWhatIsComputed) {
    const NodeId matrix = placeholder("matrix", {4, 6});
    output({call("reader", "aten.add.Tensor", {matrix, matrix}, {4, 6})});
    const std::string turned =
        R"({"shape": [4, 6], "stride": [1, 4], "dtype": "bfloat16", "device": "cuda", "storage": 5,
            "storage_bytes": 48})";
    const auto graph =
        test::altered(*test::with_call(builder_.finish(header_), {"other", "aten.split.Tensor", "[]"}, "reader"),
                      {{"other", "/multi", "true"},
                       {"other", "/outputs", "[" + turned + ", null]"},
                       {"reader", "/args", R"(["%matrix", "%other"])"}});
    GraphEditor editor(graph);
    const NodeId other = graph->find("other"), reader = graph->find("reader");
    repair_layouts(editor, std::span(&reader, 1));
    EXPECT_EQ(text(editor, reader), "6 1 @0");

    TracedSequence made(editor, reader, {});
    const TensorMeta same[] = {graph->outputs(other).front()};
    editor.replace_all_uses(other, made.emit("made", "aten.alias.default", {}, same));
    EXPECT_THROW(repair_layouts(editor, std::span(&reader, 1)), InputError);
}

TEST_F(MovedInputTest, AGetitemTakesWhatPythonTakes) {
    const auto item = [&](const std::string& index) {
        return turned(reads_as("operator.getitem", R"(["%matrix")" + index + "]"));
    };
    EXPECT_EQ(item(", 0"), "1 4 @0");
    EXPECT_EQ(item(", -1"), "1 4 @0");
    EXPECT_EQ(item(", -2"), "6 1 @0");
    EXPECT_EQ(item(", 1"), "6 1 @0");
    EXPECT_EQ(item(R"(, "one")"), "6 1 @0");
    EXPECT_EQ(item(""), "6 1 @0");
}

}  // namespace
}  // namespace overlap
