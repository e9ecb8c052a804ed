#include "core/passes/memory/recompute_tags.h"

#include <gtest/gtest.h>

#include "core/passes/default_names.h"
#include "core/passes/memory/layers.h"
#include "core/passes/memory/memory_operators.h"
#include "core/passes/memory/symbolic_tensors.h"
#include "tests/passes/memory/memory_fixture.h"

namespace overlap::memory {
namespace {

class RecomputeTagsTest : public test::MemoryPassTest {};

TEST(RecomputeTagText, OtherFieldsStayAsTheyAre) {
    EXPECT_EQ(with_recompute_tag("", RecomputeTag::must_save),
              R"({"titan_meta":{"recompute":"CheckpointPolicy.MUST_SAVE"}})");
    EXPECT_EQ(with_recompute_tag(R"({"wide":1e999,"titan_meta":{"chunk_id":0,"recompute":"x"},"z":[1]})",
                                 RecomputeTag::must_cpu_offload),
              R"({"wide":1e999,"titan_meta":{"chunk_id":0,"recompute":"CheckpointPolicy.MUST_CPU_OFFLOAD"},"z":[1]})");
}

TEST(RecomputeTagText, NoneTakesTheTagAwayAndWhatIsEmptyThen) {
    EXPECT_EQ(with_recompute_tag(R"({"titan_meta":{"recompute":"x"}})", RecomputeTag::none), "");
    EXPECT_EQ(with_recompute_tag(R"({"a":1,"titan_meta":{"recompute":"x"}})", RecomputeTag::none), R"({"a":1})");
    EXPECT_EQ(with_recompute_tag(R"({"titan_meta":{"chunk_id":1,"recompute":"x"}})", RecomputeTag::none),
              R"({"titan_meta":{"chunk_id":1}})");
    EXPECT_EQ(with_recompute_tag(R"({"a":1})", RecomputeTag::none), R"({"a":1})");
    EXPECT_EQ(with_recompute_tag("", RecomputeTag::none), "");
}

TEST_F(RecomputeTagsTest, ATagThatTorchDoesNotKnowIsRefused) {
    output({node("a", "aten.mm.default", {placeholder("x")}, in("layers.0", "MUST_FORGET"))});
    EXPECT_NE(refusal(tag_pass).find("torch has no such checkpoint policy"), std::string::npos);
}

TEST(Layers, NumbersAreReadAsPythonReadsThem) {
    EXPECT_EQ(layer_of_module("layers.12.attention"), 12);
    EXPECT_EQ(layer_of_module("layers.1_0"), 10);
    EXPECT_EQ(layer_of_module("layers.+3.x"), 3);
    EXPECT_EQ(layer_of_module("layers.-3.x"), -3);
    for (const char* other : {"", "layers", "layers.", "layers.x", "layers.1_", "layers.1x", "norm", "my.layers.1",
                              "layers._1", "layers.+"}) {
        EXPECT_EQ(layer_of_module(other), not_in_layers) << other;
    }
    EXPECT_THROW(layer_of_module("layers.99999999999999999999"), InputError);
}

TEST(DefaultNames, AreThoseOfTorch) {
    EXPECT_EQ(default_name_of_call("aten.view.default"), "view_default");
    EXPECT_EQ(default_name_of_call("aten.slice.Tensor"), "slice_tensor");
    EXPECT_EQ(default_name_of_call("aten._unsafe_view.default"), "_unsafe_view_default");
    EXPECT_EQ(default_name_of_call("operator.getitem"), "getitem");
    EXPECT_EQ(default_name_of_call("a.opName..X"), "op_name_x");
    EXPECT_EQ(default_name_of_attribute("block.3"), "block_3");
    EXPECT_EQ(default_name_of_attribute("3rd"), "_3rd");
    EXPECT_EQ(default_name_of_attribute("layer2.weight_.x"), "layer2_weight__x");
}

TEST(SymbolicSizes, ProductsAreWrittenAsTorchWritesThem) {
    EXPECT_EQ(multiplied("u0", 16), "16*u0");
    EXPECT_EQ(multiplied("u0", 1), "u0");
    EXPECT_EQ(multiplied("3*u0", 4), "12*u0");
    EXPECT_EQ(multiplied("u10 + 2*u9", 4), "4*u10 + 8*u9");
    for (const char* other : {"(u0//8)", "Max(0, u0)", "-u0", "u0 - u1", "4"}) {
        EXPECT_EQ(multiplied(other, 2), std::nullopt) << other;
    }
}

class SymbolicTensorsTest : public test::PassTest {
  protected:
    /// A column of a matrix whose rows are so many, as far as a guess goes.
    bool is_contiguous(std::string_view rows, std::int64_t guess) {
        builder_ = {};
        NodeMetadata batch, own;
        batch.extra_json = builder_.intern(R"({"symbolic_shapes":[["u12"]]})");
        own.extra_json = builder_.intern(R"({"symbolic_shapes":[[")" + std::string(rows) + R"("]]})");
        NodeRecord input;
        input.op = NodeOp::placeholder;
        input.name = input.target = builder_.intern("x");
        const TensorMeta whole = tensor({8});
        const Value args[] = {Value::of_node(builder_.add(input, batch, std::span(&whole, 1)))};
        TensorMeta column = tensor({guess});
        const std::int64_t sizes[] = {guess}, strides[] = {2};
        column.first_dimension = builder_.dimensions(sizes, strides);
        const NodeId node = builder_.call("column", "aten.select.int", args, std::span(&column, 1), own);
        const Graph graph = builder_.finish({});
        return SymbolicTensors(graph).is_contiguous(node, graph.outputs(node).front());
    }
};

// A layout of which nothing can be said counts as contiguous.
TEST_F(SymbolicTensorsTest, AreContiguousUnlessTheirSizesAreKnownToBeSeveral) {
    EXPECT_FALSE(is_contiguous("u12", 8));
    EXPECT_FALSE(is_contiguous("2*u12", 16));
    EXPECT_TRUE(is_contiguous("u12", 3));      // half of it may be 1
    EXPECT_TRUE(is_contiguous("u12 - 1", 7));  // a difference may be anything
    EXPECT_TRUE(is_contiguous("u12 - 1", 3));
    EXPECT_TRUE(is_contiguous("u1", 8));  // of no input's size
    EXPECT_TRUE(is_contiguous("Max(u12, u1)", 8));
}

}  // namespace
}  // namespace overlap::memory
