#include "core/memory/device_memory.h"

#include <gtest/gtest.h>

#include "core/memory/memory_kinds.h"
#include "tests/cost/fused_sketch.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

/// Holds 16 bytes, and 80 at its peak, on a device of so much memory.
Graph graph_on(std::int64_t memory_bytes) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(16));
    const NodeId gather = sketch.gather("gather", x, 4);
    sketch.wait("waited", gather);
    sketch.header().cost->memory_bytes = memory_bytes;
    sketch.header().cost->device_name = "device A";
    return sketch.finish();
}

std::optional<Problem> problem_on(std::int64_t memory_bytes) {
    const Graph graph = graph_on(memory_bytes);
    return memory_problem(graph, memory_profile(graph, StorageRule::corrected));
}

TEST(DeviceMemory, IsTheLimitOfThePeak) {
    const std::int64_t peak = memory_profile(graph_on(0), StorageRule::corrected).peak_bytes;
    EXPECT_EQ(device_memory_bytes(graph_on(7)), 7);
    EXPECT_FALSE(problem_on(peak));
    const std::optional<Problem> problem = problem_on(peak - 5);
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->severity, Severity::caution);
    EXPECT_NE(problem->message.find("5 B more than the device holds (device A, "), std::string::npos)
        << problem->message;
    EXPECT_EQ(problem->nodes.size(), 1u);
}

TEST(DeviceMemory, MayHaveALimitOfItsOwn) {
    const Graph graph = graph_on(0);
    const MemoryProfile memory = memory_profile(graph, StorageRule::corrected);
    EXPECT_FALSE(limit_problem(graph, memory, 0));
    EXPECT_FALSE(limit_problem(graph, memory, memory.peak_bytes));
    const std::optional<Problem> problem = limit_problem(graph, memory, memory.peak_bytes - 5);
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->severity, Severity::caution);
    EXPECT_EQ(problem->title, "Beyond the limit");
    EXPECT_NE(problem->message.find("5 B more than the limit that was set ("), std::string::npos) << problem->message;
    EXPECT_EQ(problem->nodes.size(), 1u);
}

TEST(DeviceMemory, ThatIsNotKnownLimitsNothing) {
    EXPECT_FALSE(problem_on(0));
    GraphSketch sketch;
    sketch.input("x", sketch.bytes(16));
    const Graph graph = sketch.finish();
    EXPECT_FALSE(memory_problem(graph, memory_profile(graph, StorageRule::reference)));
}

TEST(DeviceMemory, ThatFusedProductsNeedIsCountedWhereTheirSizesAreKnown) {
    FusedSketch sketch;
    const Graph graph = sketch.finish({sketch.scatter});
    EXPECT_FALSE(uncounted_results_problem(graph));
    const MemoryProfile torch = memory_profile(graph, StorageRule::reference);
    const MemoryProfile counted = memory_profile(graph, StorageRule::corrected);
    // [8, 8] and [8, 16] of the gather, [2, 4] of the scatter, beside the inputs; items lie in their list's memory.
    EXPECT_EQ(counted.while_node[sketch.gather], torch.while_node[sketch.gather] + (8 * 8 + 8 * 16) * 4);
    EXPECT_EQ(counted.while_node[sketch.scatter], torch.while_node[sketch.scatter] + (8 * 16 + 2 * 4) * 4);
    const HeldMemory held = held_memory(graph, peak_point(counted));
    EXPECT_EQ(held.bytes, counted.peak_bytes);

    FusedSketch other;
    const NodeId lost = other.without_value("lost", "aten.add.Tensor", {Value::of_node(other.scatter)});
    const NodeId third = other.fused_gather("third", lost, lost);
    const std::optional<Problem> without_sizes = uncounted_results_problem(other.finish({third}));
    ASSERT_TRUE(without_sizes);
    EXPECT_EQ(without_sizes->severity, Severity::caution);
    EXPECT_EQ(without_sizes->nodes, std::vector<std::string>({"third"}));
    EXPECT_EQ(without_sizes->kind, ProblemKind::uncounted_results);
    EXPECT_EQ(without_sizes->title, "Memory too low");
    EXPECT_NE(without_sizes->message.find("what 1 fused product returns: "), std::string::npos)
        << without_sizes->message;
    EXPECT_FALSE(uncounted_results_problem(graph_on(0)));
}

TEST(DeviceMemory, ThatNobodyKnowsIsTold) {
    GraphSketch known;
    const NodeId x = known.input("x", known.bytes(16));
    known.compute("mm", {known.wait("waited", known.gather("gather", x, 4))}, 1);
    EXPECT_FALSE(unknown_sizes_problem(known.finish()));
    EXPECT_FALSE(unknown_sizes_problem(FusedSketch().finish()));  // their sizes follow

    GraphSketch sketch;
    const NodeId y = sketch.input("y", sketch.bytes(16));
    const NodeId gather = sketch.call("gather", "_c10d_functional.all_gather_into_tensor.default",
                                      {Value::of_node(y), Value::of_integer(4), sketch.text("0")}, {});
    const NodeId waited = sketch.call("waited", "_c10d_functional.wait_tensor.default", {Value::of_node(gather)}, {});
    sketch.call("mm", "aten.mm.default", GraphSketch::values({waited, waited}), {});
    const std::optional<Problem> problem = unknown_sizes_problem(sketch.finish());
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->nodes, std::vector<std::string>({"gather"}));
    EXPECT_EQ(problem->kind, ProblemKind::unknown_sizes);
    EXPECT_EQ(problem->message,
              "times and memory leave out what 2 products or collectives work on: the graph does not "
              "say how large it is");
}

TEST(DeviceMemory, OfACpuIsToldWhereNothingElseIsThere) {
    const auto graph_with = [](std::string_view device, std::string_view other) {
        GraphSketch sketch;
        const NodeId x = sketch.input("x", sketch.bytes(1 << 20, {}, device));
        const NodeId y = sketch.input("y", sketch.bytes(1 << 19, {}, other));
        sketch.call("mm", "aten.mm.default", GraphSketch::values({x, y}), {sketch.bytes(1 << 19, {}, device)});
        return sketch.finish();
    };
    EXPECT_FALSE(memory_on_cpu_problem(graph_with("cuda:0", "cuda:0")));
    EXPECT_FALSE(memory_on_cpu_problem(graph_with("cpu", "cuda:0")));  // kept on the host, on purpose
    EXPECT_FALSE(memory_on_cpu_problem(GraphSketch().finish()));
    const Graph graph = graph_with("cpu", "cpu:0");
    ASSERT_EQ(memory_profile(graph, StorageRule::corrected).peak_bytes, 0);
    const std::optional<Problem> problem = memory_on_cpu_problem(graph);
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->severity, Severity::caution);
    EXPECT_EQ(problem->kind, ProblemKind::memory_on_cpu);
    EXPECT_EQ(problem->message,
              "the graph's tensors are on the CPU, 2 MiB in all, and the peak memory is that of the device, which "
              "counts none of them");
}

}  // namespace
}  // namespace overlap::test
