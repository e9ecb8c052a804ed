#include "core/run/product_scaling.h"

#include <gtest/gtest.h>

#include <array>

#include "core/run/device_work.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/call_with.h"

namespace overlap::test {
namespace {

/// A product of 8-bit floats, 512 x 1024 by 1024 x 2048, in a graph with what it reads.
struct Scaled {
    const char *left = "float8_e4m3fn", *right = "float8_e4m3fn", *result = "bfloat16", *scale = "float32";
    std::vector<std::int64_t> left_scale{1, 1}, right_scale{1, 1};
    bool right_by_columns = true, fast = true, left_by_columns = false, flag_by_name = false;
    const char* other_scale = "float32";
    std::size_t without = 4, results = 1;  ///< the first four arguments are tensors

    Graph graph() const {
        GraphSketch sketch;
        TensorMeta factor = sketch.tensor(right, {1024, 2048});
        if (right_by_columns)
            factor.first_dimension =
                sketch.builder().dimensions(std::vector<std::int64_t>{1024, 2048}, std::vector<std::int64_t>{1, 1024});
        TensorMeta first = sketch.tensor(left, {512, 1024});
        if (left_by_columns)
            first.first_dimension =
                sketch.builder().dimensions(std::vector<std::int64_t>{512, 1024}, std::vector<std::int64_t>{1, 512});
        std::vector<Value> arguments =
            GraphSketch::values({sketch.input("a", first), sketch.input("b", factor),
                                 sketch.input("scale_a", sketch.tensor(scale, left_scale)),
                                 sketch.input("scale_b", sketch.tensor(other_scale, right_scale))});
        if (without < arguments.size()) arguments[without] = Value::of_none();
        arguments.push_back(Value::of_none());
        arguments.push_back(Value::of_none());
        arguments.push_back(Value::of_none());
        if (!flag_by_name) arguments.push_back(Value::of_boolean(fast));
        std::vector<test::Keyword> keywords;
        if (flag_by_name) keywords.emplace_back("use_fast_accum", Value::of_boolean(fast));
        const std::vector<TensorMeta> outputs(results, sketch.tensor(result, {512, 2048}));
        return sketch.finish(
            {test::call_with(sketch.builder(), "product", "aten._scaled_mm.default", arguments, keywords, outputs)});
    }

    std::optional<ProductScaling> scaling() const {
        const Graph made = graph();
        return scaling_of(made, made.find("product"));
    }

    DevicePlan plan(const DeviceAbilities& abilities = {}) const {
        const Graph made = graph();
        const Program program = make_program(made);
        const MemoryPlan memory = plan_memory(made, program);
        return plan_device_work(program, find_operands(made, program, memory), abilities);
    }
};

TEST(ProductScaling, IsByTensorOrByRows) {
    const auto by_tensor = Scaled{}.scaling();
    ASSERT_TRUE(by_tensor);
    EXPECT_FALSE(by_tensor->by_rows);
    EXPECT_TRUE(by_tensor->fast_accumulation);
    EXPECT_EQ(dtype_info(by_tensor->result).name, "bfloat16");
    const auto by_rows = Scaled{.left_scale = {512, 1}, .right_scale = {1, 2048}, .fast = false}.scaling();
    ASSERT_TRUE(by_rows);
    EXPECT_TRUE(by_rows->by_rows);
    EXPECT_FALSE(by_rows->fast_accumulation);
    EXPECT_TRUE((Scaled{.left = "float8_e5m2", .result = "float32"}.scaling()));
    EXPECT_TRUE((Scaled{.right = "float8_e5m2", .result = "float16"}.scaling()));
    EXPECT_TRUE((Scaled{.flag_by_name = true}.scaling()->fast_accumulation));
    EXPECT_FALSE((Scaled{.fast = false, .flag_by_name = true}.scaling()->fast_accumulation));
}

TEST(ProductScaling, IsNoneOfWhatCuBLASLtDoesNotHaveAsPyTorchCallsIt) {
    EXPECT_FALSE((Scaled{.right_by_columns = false}.scaling())) << "PyTorch refuses it";
    EXPECT_FALSE((Scaled{.left = "float8_e5m2", .right = "float8_e5m2"}.scaling()));
    EXPECT_FALSE((Scaled{.result = "float8_e4m3fn"}.scaling()));
    EXPECT_FALSE((Scaled{.scale = "float8_e8m0fnu", .left_scale = {512, 32}, .right_scale = {32, 2048}}.scaling()));
    EXPECT_FALSE((Scaled{.left_scale = {512, 8}, .right_scale = {8, 16}}.scaling())) << "of blocks";
    EXPECT_FALSE((Scaled{.left_scale = {512, 1}}.scaling())) << "of two kinds";
    EXPECT_FALSE((Scaled{.right_scale = {1, 2048}}.scaling())) << "of two kinds";
    EXPECT_FALSE((Scaled{.left = "bfloat16"}.scaling()));
    EXPECT_FALSE((Scaled{.right = "bfloat16"}.scaling()));
    EXPECT_FALSE((Scaled{.left_by_columns = true}.scaling()));
    EXPECT_FALSE((Scaled{.other_scale = "bfloat16"}.scaling()));
    EXPECT_FALSE((Scaled{.results = 2}.scaling()));
    for (const std::size_t missing : {0u, 1u, 2u, 3u}) EXPECT_FALSE((Scaled{.without = missing}.scaling())) << missing;
}

TEST(ProductScaling, SuchAProductRunsOnItsOwnTensorsAndScales) {
    const DevicePlan plan = Scaled{.left_scale = {512, 1}, .right_scale = {1, 2048}}.plan();
    const DeviceWork& work = plan.compute.at(0);
    EXPECT_EQ(work.kind, DeviceWork::Kind::scaled_product);
    EXPECT_EQ(plan.totals().scaled_products, 1);
    for (const std::size_t operand : {0u, 1u, 2u, 4u, 5u}) EXPECT_TRUE(work.operands[operand].in_pool) << operand;
    EXPECT_EQ(plan.scratch_bytes, 0);
    const auto bytes = operand_bytes(work.product);
    EXPECT_EQ(bytes, (std::array<std::int64_t, product_operand_count>{512 * 1024, 1024 * 2048, 512 * 2048 * 2, 0,
                                                                      512 * 4, 2048 * 4}));
}

TEST(ProductScaling, WhatTheDeviceRefusesHasAStandIn) {
    ProductShape asked;
    DeviceAbilities none;
    none.runs_scaled_product = [&](const ProductShape& product) {
        asked = product;
        return false;
    };
    const DevicePlan plan = Scaled{}.plan(none);
    EXPECT_EQ(plan.totals().stand_in_products, 1);
    EXPECT_EQ(plan.totals().scaled_products, 0);
    EXPECT_EQ(asked.inner, 1024);
}

}  // namespace
}  // namespace overlap::test
