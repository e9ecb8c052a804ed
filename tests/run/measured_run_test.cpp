#include "core/run/measured_run.h"

#include <gtest/gtest.h>

#include "core/run/operands.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

struct SmallGraph {
    GraphSketch sketch;
    NodeId x, gathered, relu, waited, last;
    Graph graph;
    Program program;

    SmallGraph()
        : x(sketch.input("x", sketch.tensor("float32", {4}))),
          gathered(sketch.gather("gathered", x, 1)),
          relu(sketch.call("relu", "aten.relu.default", GraphSketch::values({x}), {sketch.tensor("float32", {4})})),
          waited(sketch.wait("waited", gathered)),
          last(sketch.call("last", "aten.relu.default", GraphSketch::values({waited}),
                           {sketch.tensor("float32", {16})})),
          graph(sketch.finish({relu, last})),
          program(make_program(graph)) {}

    /// The gather beside a computation of 1 ms, of which `gather_ns` are left to wait for, then the rest.
    std::vector<NodeActivity> step(std::int64_t start_ns, std::int64_t gather_ns) const {
        return {{gathered, start_ns, start_ns + gather_ns, 7},
                {relu, start_ns + 100'000, start_ns + 600'000, 1},
                {relu, start_ns + 600'000, start_ns + 1'000'000, 1},
                {last, start_ns + gather_ns, start_ns + gather_ns + 500'000, 1}};
    }
};

TEST(MeasuredRun, ANodesTimeIsThatOfItsKernelsInTheMiddleOfTheSteps) {
    const SmallGraph small;
    MeasuredRun run(small.graph, small.program);
    run.add_step(small.step(0, 3'000'000));
    run.add_step(small.step(50'000'000, 2'000'000));
    run.add_step(small.step(90'000'000, 4'000'000));
    const std::vector<NodeMeasurement> measurements = run.measurements();
    ASSERT_EQ(measurements.size(), 3u) << "a wait has no kernel";
    EXPECT_EQ(measurements[0].node, small.gathered);
    EXPECT_DOUBLE_EQ(measurements[0].median_ms, 3);
    EXPECT_DOUBLE_EQ(measurements[0].minimum_ms, 2);
    EXPECT_DOUBLE_EQ(measurements[0].maximum_ms, 4);
    EXPECT_DOUBLE_EQ(measurements[1].median_ms, 0.9) << "two kernels of one node count together";
}

TEST(MeasuredRun, TheTimelineBeginsWithTheFirstKernelAndTellsWhatStoodExposed) {
    const SmallGraph small;
    MeasuredRun run(small.graph, small.program);
    run.add_step(small.step(77'000'000, 3'000'000));
    const Simulation timeline = run.timeline();
    EXPECT_DOUBLE_EQ(timeline.nodes[small.gathered].start_ms, 0);
    EXPECT_DOUBLE_EQ(timeline.nodes[small.relu].end_ms, 1);
    EXPECT_DOUBLE_EQ(timeline.exposed_ms, 2);
    EXPECT_DOUBLE_EQ(timeline.step_ms, 3.5);
    EXPECT_EQ(timeline.collectives.at(0).wait, small.waited);
}

TEST(MeasuredRun, ExposedTimeIsThatOfEachStep) {
    const SmallGraph small;
    MeasuredRun run(small.graph, small.program);
    for (const std::int64_t gather_ns : {3'000'000, 2'000'000, 4'000'000}) run.add_step(small.step(0, gather_ns));
    EXPECT_EQ(run.exposed_ms(), (std::vector<double>{2, 1, 3}));
    EXPECT_EQ(run.times_of(small.gathered), (std::vector<double>{3, 2, 4}));
}

TEST(MeasuredRun, KernelsThatNoNodeLaunchedAreCountedAndNotTaken) {
    const SmallGraph small;
    MeasuredRun run(small.graph, small.program);
    std::vector<NodeActivity> activities = small.step(0, 3'000'000);
    activities.push_back({no_node, 0, 9'000'000, 1});
    run.add_step(activities);
    EXPECT_EQ(run.activities_without_node(), 1u);
    EXPECT_DOUBLE_EQ(run.timeline().step_ms, 3.5);
}

TEST(MeasuredRun, WhatAKernelTakesIsSharedByWhatItsNodesReturn) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {64, 64}));
    const auto node = [&](std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs) {
        return sketch.call(name, target, GraphSketch::values(inputs), {sketch.tensor("float32", {64, 64})});
    };
    const NodeId a = node("a", "aten.relu.default", {x});
    const NodeId b = node("b", "aten.neg.default", {x});
    const NodeId product = node("product", "aten.mm.default", {a, b});
    const Graph graph = sketch.finish({product});
    const Program program = make_program(graph, CompiledScope::whole);
    ASSERT_EQ(program.compute.at(0).kernel->members, (std::vector<NodeId>{a, b}));
    MeasuredRun run(graph, program);
    run.add_step({{program.compute[0].node, 0, 3'000'000, 1}, {product, 3'000'000, 4'000'000, 1}});
    EXPECT_EQ(run.times_of(a), (std::vector<double>{1.5}));
    EXPECT_EQ(run.times_of(b), (std::vector<double>{1.5}));
    EXPECT_EQ(run.times_of(product), (std::vector<double>{1}));
}

TEST(Operands, ViewsBeginAtTheirOffsetAndNoSpanLeavesItsBuffer) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(1024, 5));
    TensorMeta half = sketch.bytes(512, 5);
    half.storage_offset = 512;
    half.storage_bytes = 1024;
    const NodeId view = sketch.call("view", "aten.slice.Tensor", GraphSketch::values({x}), {half});
    TensorMeta expanded = sketch.bytes(1 << 20, 5);
    expanded.storage_bytes = 1024;
    const NodeId wide = sketch.call("wide", "aten.expand.default", GraphSketch::values({x}), {expanded});
    const NodeId sum = sketch.call("sum", "aten.add.Tensor", GraphSketch::values({view, wide}), {sketch.bytes(256, 6)});
    const Graph graph = sketch.finish({sum});
    const Program program = make_program(graph);
    const MemoryPlan memory = plan_memory(graph, program);
    const Operands operands = find_operands(graph, program, memory).compute.at(0);
    const std::int64_t base = memory.buffers[memory.of_output[memory.first_of_node[x]]].offset;
    ASSERT_EQ(operands.inputs.size(), 2u);
    EXPECT_EQ(operands.inputs[0].offset, base + 512);
    EXPECT_EQ(operands.inputs[0].bytes, 512);
    EXPECT_EQ(operands.inputs[1].offset, base);
    EXPECT_EQ(operands.inputs[1].bytes, 1024);
    ASSERT_EQ(operands.outputs.size(), 1u);
    EXPECT_EQ(operands.outputs[0].bytes, 256);
}

TEST(Operands, TheLongestSpansStayInTheirOrder) {
    const std::vector<PoolSpan> spans = {{0, 16}, {16, 512}, {600, 64}, {700, 512}};
    const std::vector<PoolSpan> two = longest_spans(spans, 2);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0].offset, 16);
    EXPECT_EQ(two[1].offset, 700);
    EXPECT_EQ(longest_spans(spans, 1).at(0).offset, 16) << "the first of several as long";
    EXPECT_EQ(longest_spans(spans, 9).size(), 4u);
}

TEST(Operands, ACollectiveHasOneSpanForEachTensorOnBothSides) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId y = sketch.input("y", sketch.tensor("float32", {8}));
    const NodeId both = sketch.call("both", "_c10d_functional.all_gather_into_tensor_coalesced.default",
                                    {sketch.list(GraphSketch::values({x, y})), Value::of_integer(4), sketch.text("0")},
                                    {sketch.tensor("float32", {16}), sketch.tensor("float32", {32})});
    const Graph graph = sketch.finish({both});
    const Program program = make_program(graph);
    const Operands operands = find_operands(graph, program, plan_memory(graph, program)).collectives.at(0);
    ASSERT_EQ(operands.inputs.size(), 2u);
    ASSERT_EQ(operands.outputs.size(), 2u);
    EXPECT_EQ(operands.inputs[1].bytes, 32);
    EXPECT_EQ(operands.outputs[1].bytes, 128);
    EXPECT_EQ(program.collectives.at(0).messages.size(), 2u);
}

}  // namespace
}  // namespace overlap::test
