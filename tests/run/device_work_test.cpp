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
    for (std::size_t matrix = 0; matrix < 3; ++matrix) EXPECT_TRUE(device.compute[0].operands[matrix].in_pool);
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

TEST(DeviceWork, OperandsInScratchMemoryLieBehindOneAnother) {
    GraphSketch sketch;
    const auto expanded = [&](std::vector<std::int64_t> sizes) {
        TensorMeta meta = sketch.tensor("bfloat16", sizes);
        meta.storage_bytes = meta.storage_bytes / sizes[0];
        return meta;
    };
    const NodeId left = sketch.input("left", expanded({2, 64, 128}));
    const NodeId right = sketch.input("right", expanded({2, 128, 256}));
    const NodeId small = sketch.input("small", expanded({2, 32, 128}));
    sketch.call("bmm", "aten.bmm.default", GraphSketch::values({left, right}),
                {sketch.tensor("bfloat16", {2, 64, 256})});
    sketch.call("smaller", "aten.bmm.default", GraphSketch::values({small, right}),
                {sketch.tensor("bfloat16", {2, 32, 256})});
    const DevicePlan device = plan_of(sketch.finish()).device;
    constexpr std::int64_t left_bytes = 2 * 64 * 128 * 2, right_bytes = 2 * 128 * 256 * 2;
    EXPECT_EQ(device.scratch_bytes, left_bytes + right_bytes) << "for the largest of each";
    ASSERT_EQ(device.compute.size(), 2u);
    for (const DeviceWork& work : device.compute) {
        EXPECT_EQ(work.operands[0].offset, 0);
        EXPECT_EQ(work.operands[1].offset, left_bytes);
        EXPECT_TRUE(work.operands[2].in_pool);
    }
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
    const ProductShape& product = work.product;
    const double flops = 2.0 * static_cast<double>(product.rows * product.columns * product.inner * work.launches);
    EXPECT_NEAR(flops / (2.0 * 512 * 1024 * 2048), 1, 0.02);
    EXPECT_GT(device.scratch_bytes, 0);
}

TEST(DeviceWork, ExpertsShareRowsEvenly) {
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
    EXPECT_EQ(planned.device.totals().expert_products, 2);
    const ProductShape& forward = planned.device.compute.at(0).product;
    EXPECT_EQ(forward.batch, 8);
    EXPECT_EQ(forward.rows, 125);
    EXPECT_EQ(forward.inner, 64);
    EXPECT_EQ(forward.columns, 32);
    const ProductShape& of_weights = planned.device.compute.at(1).product;
    EXPECT_EQ(of_weights.rows, 64);
    EXPECT_EQ(of_weights.inner, 125);
    for (const DeviceWork& work : planned.device.compute) {
        for (std::size_t matrix = 0; matrix < 3; ++matrix) EXPECT_TRUE(work.operands[matrix].in_pool);
    }
}

/// A backward pass of flash attention in a graph with what it reads.
Graph attention_graph() {
    GraphSketch sketch;
    const std::vector<std::int64_t> sizes{2, 8, 64, 16};
    std::vector<Value> arguments;
    for (const char* name : {"gradient", "query", "key", "value", "result"})
        arguments.push_back(Value::of_node(sketch.input(name, sketch.tensor("bfloat16", sizes))));
    arguments.push_back(Value::of_node(sketch.input("sums", sketch.tensor("float32", {2, 8, 64}))));
    for (int packed = 0; packed < 2; ++packed) arguments.push_back(Value::of_none());
    for (int length = 0; length < 2; ++length) arguments.push_back(Value::of_integer(64));
    arguments.push_back(Value::of_floating(0));
    arguments.push_back(Value::of_boolean(true));
    const TensorMeta gradient = sketch.tensor("bfloat16", sizes);
    sketch.call("backward", "aten._scaled_dot_product_flash_attention_backward.default", arguments,
                {gradient, sketch.tensor("bfloat16", sizes), sketch.tensor("bfloat16", sizes)});
    return sketch.finish();
}

TEST(DeviceWork, AnAttentionRunsAsOneKernelWithItsAccumulatorsInScratchMemory) {
    const DevicePlan device = plan_of(attention_graph()).device;
    EXPECT_EQ(device.compute.at(0).kind, Kind::attention);
    EXPECT_EQ(device.totals().attentions, 1);
    EXPECT_EQ(device.scratch_bytes, 2 * 8 * 64 * 4 + 2 * 8 * 64 * 16 * 4) << "sums and gradients of queries";
}

TEST(DeviceWork, AnAttentionThatTheDeviceHasNoKernelForHasAStandIn) {
    const Graph graph = attention_graph();
    const Program program = make_program(graph);
    const MemoryPlan memory = plan_memory(graph, program);
    std::vector<AttentionShape> asked;
    DeviceAbilities none;
    none.runs_attention = [&](const AttentionShape& shape) {
        asked.push_back(shape);
        return false;
    };
    const DevicePlan device = plan_device_work(program, find_operands(graph, program, memory), none);
    EXPECT_EQ(device.totals().stand_in_products, 1);
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_TRUE(asked[0].causal);
    EXPECT_TRUE(asked[0].backward);
}

TEST(DeviceWork, AnAttentionOfTensorsThatKernelsCannotReadHasAStandIn) {
    const std::vector<std::int64_t> sizes{2, 8, 64, 16};
    // Each of three inputs in turn begins an element behind the beginning of its memory.
    for (std::size_t moved = 0; moved <= 3; ++moved) {
        GraphSketch sketch;
        std::vector<Value> arguments;
        for (std::size_t input = 0; input < 3; ++input) {
            TensorMeta meta = sketch.tensor("bfloat16", sizes);
            if (input == moved) meta.storage_offset = 1, meta.storage_bytes += 2;
            arguments.push_back(Value::of_node(sketch.input("x" + std::to_string(input), meta)));
        }
        sketch.call("attention", "aten._scaled_dot_product_flash_attention.default", arguments,
                    {sketch.tensor("bfloat16", sizes), sketch.tensor("float32", {2, 8, 64})});
        const DeviceWorkTotals totals = plan_of(sketch.finish()).device.totals();
        EXPECT_EQ(totals.attentions, moved == 3 ? 1 : 0) << moved;
        EXPECT_EQ(totals.stand_in_products, moved == 3 ? 0 : 1) << moved;
    }
}

TEST(DeviceWork, FusedKernelsAreCountedWithTheirNodesAndThoseThatAreInlined) {
    GraphSketch sketch;
    const auto node = [&](std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs) {
        return sketch.call(name, target, GraphSketch::values(inputs), {sketch.tensor("float32", {64, 64})});
    };
    const NodeId x = sketch.input("x", sketch.tensor("float32", {64, 64}));
    const NodeId a = node("a", "aten.relu.default", {x});
    const NodeId b = node("b", "aten.neg.default", {x});
    const NodeId product = node("product", "aten.mm.default", {a, b});
    const NodeId inlined = node("inlined", "aten.exp.default", {product});
    const NodeId last = node("last", "aten.neg.default", {inlined});
    const Graph graph = sketch.finish({last});
    const Program program = make_program(graph, CompiledScope::whole);
    const MemoryPlan memory = plan_memory(graph, program);
    const DeviceWorkTotals totals = plan_device_work(program, find_operands(graph, program, memory)).totals();
    EXPECT_EQ(totals.fused_kernels, 1) << "both factors";
    EXPECT_EQ(totals.fused_nodes, 2);
    EXPECT_EQ(totals.inlined_nodes, 1);
    EXPECT_EQ(totals.moved_bytes, 2);
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
        const ProductShape& product = stand_in.product;
        EXPECT_EQ(dtype_info(product.dtype).name, "bfloat16");
        const double found = 2.0 * static_cast<double>(product.rows) * static_cast<double>(product.columns) *
                             static_cast<double>(product.inner) * static_cast<double>(stand_in.launches);
        EXPECT_NEAR(found / flops, 1, flops > 1e9 ? 0.02 : 0.3) << flops;
        EXPECT_LE(product.rows * product.inner * 2, std::int64_t{64} << 20);
        EXPECT_LE(product.rows * product.columns * 2, std::int64_t{64} << 20);
    }
}

}  // namespace
}  // namespace overlap::test
