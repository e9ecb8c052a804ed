// Attention whose tensors do not belong together, or are not there, is none that a device could run.

#include <gtest/gtest.h>

#include "core/run/attention.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

/// A tensor of an attention; without sizes it is none.
struct Given {
    std::vector<std::int64_t> sizes;
    const char* type = "bfloat16";
};

/// Arguments and results of an attention of 2 x 8 heads, 64 queries and 32 keys, of widths 16 and 12.
struct AttentionTensors {
    std::string_view target;
    std::vector<Given> arguments, results;

    std::optional<AttentionWork> read(std::vector<Value> behind = {}) const {
        GraphSketch sketch;
        std::vector<Value> values;
        std::vector<TensorMeta> outputs;
        for (const Given& given : arguments) {
            const std::string name = "x" + std::to_string(values.size());
            values.push_back(given.sizes.empty()
                                 ? Value::of_none()
                                 : Value::of_node(sketch.input(name, sketch.tensor(given.type, given.sizes))));
        }
        for (const Given& given : results)
            outputs.push_back(given.sizes.empty() ? TensorMeta{} : sketch.tensor(given.type, given.sizes));
        values.insert(values.end(), behind.begin(), behind.end());
        const NodeId node = sketch.call("attention", target, values, outputs);
        return attention_of(sketch.finish(), node, target, 0);
    }
};

AttentionTensors forward() {
    return {"aten._scaled_dot_product_flash_attention.default",
            {{{2, 8, 64, 16}}, {{2, 8, 32, 16}}, {{2, 8, 32, 12}}},
            {{{2, 8, 64, 12}}, {{2, 8, 64}, "float32"}}};
}

/// Gradient of the output, query, key, value, output, statistics; gradients of query, key and value.
AttentionTensors backward() {
    return {"aten._scaled_dot_product_flash_attention_backward.default",
            {{{2, 8, 64, 12}},
             {{2, 8, 64, 16}},
             {{2, 8, 32, 16}},
             {{2, 8, 32, 12}},
             {{2, 8, 64, 12}},
             {{2, 8, 64}, "float32"}},
            {{{2, 8, 64, 16}}, {{2, 8, 32, 16}}, {{2, 8, 32, 12}}}};
}

struct Spoilt {
    std::size_t place;
    Given given;
};

TEST(AttentionShapes, EachArgumentOfTheForwardPassCounts) {
    ASSERT_TRUE(forward().read());
    const std::vector<Spoilt> cases = {{0, {}},
                                       {1, {}},
                                       {2, {}},
                                       {0, {{8, 64, 16}}},
                                       {1, {{3, 8, 32, 16}}},
                                       {2, {{3, 8, 32, 12}}},
                                       {2, {{2, 4, 32, 12}}},
                                       {2, {{2, 8, 31, 12}}},
                                       {1, {{2, 8, 32, 15}}},
                                       {1, {{2, 8, 32, 16}, "float16"}},
                                       {1, {{2, 8, 0, 16}}}};
    for (const auto& [place, given] : cases) {
        AttentionTensors tensors = forward();
        tensors.arguments[place] = given;
        EXPECT_FALSE(tensors.read()) << place << " " << testing::PrintToString(given.sizes);
    }
}

TEST(AttentionShapes, EachResultOfTheForwardPassCounts) {
    const std::vector<Spoilt> cases = {{0, {}},
                                       {1, {}},
                                       {0, {{2, 8, 64, 13}}},
                                       {1, {{2, 8, 64}}},
                                       {1, {{16, 64}, "float32"}},
                                       {1, {{2, 8, 64, 1, 1}, "float32"}},
                                       {1, {{2, 8, 64, 2}, "float32"}}};
    for (const auto& [place, given] : cases) {
        AttentionTensors tensors = forward();
        tensors.results[place] = given;
        EXPECT_FALSE(tensors.read()) << place << " " << testing::PrintToString(given.sizes);
    }
    AttentionTensors fewer = forward();
    fewer.results.pop_back();
    EXPECT_FALSE(fewer.read());
}

TEST(AttentionShapes, EachTensorOfTheBackwardPassCounts) {
    ASSERT_TRUE(backward().read());
    for (std::size_t place = 0; place < 6; ++place) {
        AttentionTensors tensors = backward();
        tensors.arguments[place] = {};
        EXPECT_FALSE(tensors.read()) << place;
        tensors = backward();
        ++tensors.arguments[place].sizes[2];
        EXPECT_FALSE(tensors.read()) << place;
    }
    for (std::size_t place = 0; place < 3; ++place) {
        AttentionTensors tensors = backward();
        tensors.results[place] = {};
        EXPECT_FALSE(tensors.read()) << place;
        tensors = backward();
        ++tensors.results[place].sizes[2];
        EXPECT_FALSE(tensors.read()) << place;
    }
}

TEST(AttentionShapes, HalfPrecisionHasTwoTypes) {
    AttentionTensors tensors = forward();
    for (Given& given : tensors.arguments) given.type = "float16";
    tensors.results[0].type = "float16";
    EXPECT_TRUE(tensors.read());
    tensors.results[0].type = "bfloat16";
    EXPECT_FALSE(tensors.read());
}

TEST(AttentionShapes, NumbersMayBeWhole) {
    // Dropout, and whether the mask is causal, which is a truth.
    EXPECT_TRUE(forward().read({Value::of_integer(0), Value::of_boolean(true)})->shape.causal);
    EXPECT_FALSE(forward().read({Value::of_integer(1), Value::of_boolean(true)}));
    EXPECT_FALSE(forward().read({Value::of_integer(0), Value::of_integer(1)})->shape.causal);
    AttentionTensors flex = forward();
    flex.target = "higher_order.flex_attention";
    EXPECT_EQ(flex.read({Value::of_none(), Value::of_none(), Value::of_integer(2)})->shape.scale, 2);
    EXPECT_DOUBLE_EQ(flex.read({Value::of_none(), Value::of_none(), Value::of_none()})->shape.scale, 0.25);
}

}  // namespace
}  // namespace overlap::test
