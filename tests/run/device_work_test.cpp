#include "core/run/device_work.h"

#include <gtest/gtest.h>

#include "core/run/memory_plan.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

using Kind = DeviceWork::Kind;

struct Planned {
    Program program;
    DevicePlan device;
};

Planned plan_of(const Graph& graph) {
    Planned planned;
    planned.program = make_program(graph);
    const MemoryPlan memory = plan_memory(graph, planned.program);
    planned.device = plan_device_work(planned.program, find_operands(graph, planned.program, memory));
    return planned;
}

TEST(DeviceWork, ProductsRunOnTheirOwnTensorsAndNeedNoMemoryBeside) {
    GraphSketch sketch;
    const NodeId left = sketch.input("left", sketch.tensor("bfloat16", {64, 128}));
    const NodeId right = sketch.input("right", sketch.tensor("bfloat16", {128, 256}));
    sketch.call("mm", "aten.mm.default", GraphSketch::values({left, right}), {sketch.tensor("bfloat16", {64, 256})});
    const DevicePlan device = plan_of(sketch.finish()).device;
    ASSERT_EQ(device.compute.size(), 1u);
    EXPECT_EQ(device.compute[0].kind, Kind::own_product);
    EXPECT_EQ(device.compute[0].launches, 1);
    for (const ProductOperand& operand : device.compute[0].operands) EXPECT_TRUE(operand.in_pool);
    EXPECT_EQ(device.scratch_bytes, 0);
    EXPECT_EQ(device.bytes_beside_pool(), DevicePlan::workspace_bytes);
}

TEST(DeviceWork, AnExpandedFactorIsReadFromScratchMemory) {
    GraphSketch sketch;
    const NodeId left = sketch.input("left", sketch.tensor("bfloat16", {2, 64, 128}));
    TensorMeta expanded = sketch.tensor("bfloat16", {2, 128, 256});
    expanded.storage_bytes = 128 * 256 * 2;
    const NodeId right = sketch.input("right", expanded);
    sketch.call("bmm", "aten.bmm.default", GraphSketch::values({left, right}),
                {sketch.tensor("bfloat16", {2, 64, 256})});
    const DevicePlan device = plan_of(sketch.finish()).device;
    EXPECT_TRUE(device.compute.at(0).operands[0].in_pool);
    EXPECT_FALSE(device.compute.at(0).operands[1].in_pool);
    EXPECT_EQ(device.scratch_bytes, 2 * 128 * 256 * 2);
}

TEST(DeviceWork, EightBitFactorsHaveAStandInWithTheirOperations) {
    GraphSketch sketch;
    const NodeId left = sketch.input("left", sketch.tensor("float8_e4m3fn", {512, 1024}));
    const NodeId right = sketch.input("right", sketch.tensor("float8_e4m3fn", {1024, 2048}));
    const NodeId scale = sketch.input("scale", sketch.tensor("float32", {1}));
    sketch.call("scaled", "aten._scaled_mm.default", GraphSketch::values({left, right, scale, scale}),
                {sketch.tensor("bfloat16", {512, 2048})});
    const DevicePlan device = plan_of(sketch.finish()).device;
    const DeviceWork& work = device.compute.at(0);
    EXPECT_EQ(work.kind, Kind::stand_in_product);
    const MatrixProduct& product = work.product;
    const double flops = 2.0 * static_cast<double>(product.rows * product.columns * product.inner * work.launches);
    EXPECT_NEAR(flops / (2.0 * 512 * 1024 * 2048), 1, 0.02);
    EXPECT_GT(device.scratch_bytes, 0);
}

TEST(DeviceWork, ProductsOfExpertsHaveTheirOperations) {
    GraphSketch sketch;
    const NodeId rows = sketch.input("rows", sketch.tensor("bfloat16", {1000, 64}));
    const NodeId gradient = sketch.input("gradient", sketch.tensor("bfloat16", {1000, 32}));
    const NodeId transposed = sketch.input("transposed", sketch.tensor("bfloat16", {64, 1000}));
    const NodeId weights = sketch.input("weights", sketch.tensor("bfloat16", {8, 64, 32}));
    const NodeId ends = sketch.input("ends", sketch.tensor("int32", {8}));
    sketch.call("forward", "aten._grouped_mm.default", GraphSketch::values({rows, weights, ends}),
                {sketch.tensor("bfloat16", {1000, 32})});
    sketch.call("of_weights", "aten._grouped_mm.default", GraphSketch::values({transposed, gradient, ends}),
                {sketch.tensor("bfloat16", {8, 64, 32})});
    const Planned planned = plan_of(sketch.finish());
    EXPECT_EQ(planned.program.compute.at(0).flops, 2.0 * 1000 * 64 * 32);
    EXPECT_EQ(planned.program.compute.at(1).flops, 2.0 * 64 * 1000 * 32) << "each row belongs to one expert";
    EXPECT_EQ(planned.device.totals().stand_in_products, 2);
}

TEST(DeviceWork, NodesWithoutOperationsMoveTheirBytes) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    sketch.call("relu", "aten.relu.default", GraphSketch::values({x}), {sketch.tensor("float32", {4})});
    const DevicePlan device = plan_of(sketch.finish()).device;
    EXPECT_EQ(device.totals().moved_bytes, 1);
    EXPECT_EQ(device.totals().own_products, 0);
    EXPECT_EQ(device.scratch_bytes, 0);
}

TEST(DeviceWork, AStandInHasAsManyOperationsInPiecesOfBoundedSize) {
    for (const double flops : {6e5, 1e9, 3.7e11, 2.5e12, 1.8e14}) {
        const StandInProduct stand_in = product_of_flops(flops);
        const MatrixProduct& product = stand_in.product;
        const double found = 2.0 * static_cast<double>(product.rows) * static_cast<double>(product.columns) *
                             static_cast<double>(product.inner) * static_cast<double>(stand_in.launches);
        EXPECT_NEAR(found / flops, 1, flops > 1e9 ? 0.02 : 0.3) << flops;
        EXPECT_LE(product.rows * product.inner * 2, std::int64_t{64} << 20);
        EXPECT_LE(product.rows * product.columns * 2, std::int64_t{64} << 20);
    }
}

}  // namespace
}  // namespace overlap::test
