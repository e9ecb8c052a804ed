#include "core/run/launched_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/io/graph_file.h"
#include "core/predict/block_regions.h"
#include "core/run/memory_plan.h"
#include "core/run/operands.h"
#include "core/run/program.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/call_with.h"

namespace overlap::test {
namespace {

class Compiled : public ::testing::Test {
  protected:
    NodeId node(std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs) {
        return sketch.call(name, target, GraphSketch::values(inputs), {sketch.tensor("float32", {64, 64})});
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.tensor("float32", {64, 64}));
    static constexpr std::int64_t bytes = 64 * 64 * 4;
};

TEST_F(Compiled, AChainIsOneKernelThatReadsAndWritesOnce) {
    const NodeId a = node("a", "aten.relu.default", {x});
    const NodeId b = node("b", "aten.neg.default", {a});
    const NodeId c = node("c", "aten.exp.default", {b});
    const Graph graph = sketch.finish({c});
    const Program program = make_program(graph, CompiledScope::whole);
    ASSERT_EQ(program.compute.size(), 1u);
    const ComputeWork& work = program.compute[0];
    EXPECT_EQ(work.node, c);
    EXPECT_EQ(work.read_bytes, bytes);
    EXPECT_EQ(work.written_bytes, bytes);
    const MemoryPlan memory = plan_memory(graph, program);
    EXPECT_EQ(memory.pool_bytes, 2 * bytes) << "what is computed where it is read has no memory";
    const Operands operands = find_operands(graph, program, memory).compute.at(0);
    ASSERT_EQ(operands.inputs.size(), 1u);
    ASSERT_EQ(operands.outputs.size(), 1u);
    EXPECT_NE(operands.inputs[0].offset, operands.outputs[0].offset);
}

TEST_F(Compiled, EagerJobsHaveAKernelForEachNode) {
    const NodeId a = node("a", "aten.relu.default", {x});
    const NodeId b = node("b", "aten.neg.default", {a});
    const Program program = make_program(sketch.finish({b}));
    EXPECT_EQ(program.compute.size(), 2u);
    EXPECT_FALSE(program.compute[0].kernel);
    EXPECT_TRUE(program.unwritten.empty());
}

TEST_F(Compiled, ResultsThatSeveralReadAreWrittenByOneLaunch) {
    const NodeId a = node("a", "aten.relu.default", {x});
    const NodeId b = node("b", "aten.neg.default", {x});
    const NodeId product = node("product", "aten.mm.default", {a, b});
    const Graph graph = sketch.finish({product});
    const Program program = make_program(graph, CompiledScope::whole);
    ASSERT_EQ(program.compute.size(), 2u);
    const ComputeWork& work = program.compute[0];
    EXPECT_EQ(work.node, b);
    EXPECT_EQ(work.kernel->members, (std::vector<NodeId>{a, b}));
    EXPECT_EQ(work.read_bytes, bytes);
    EXPECT_EQ(work.written_bytes, 2 * bytes);
    const MemoryPlan memory = plan_memory(graph, program);
    EXPECT_EQ(memory.buffers[memory.of_output[memory.first_of_node[a]]].first, b) << "nothing is there before";
}

TEST_F(Compiled, AKernelIsLaunchedBeforeWhatReadsAnyOfIt) {
    const NodeId a = node("a", "aten.relu.default", {x});
    const NodeId gathered = sketch.gather("gathered", a, 1);
    const NodeId b = node("b", "aten.neg.default", {x});
    const Graph graph = sketch.finish({sketch.wait("wait", gathered), b});
    const Program program = make_program(graph, CompiledScope::whole);
    ASSERT_EQ(program.compute.size(), 1u);
    EXPECT_EQ(program.compute[0].node, a);
    EXPECT_EQ(program.commands[1].kind, Command::Kind::collective);
    const MemoryPlan memory = plan_memory(graph, program);
    EXPECT_EQ(memory.buffers[memory.of_output[memory.first_of_node[b]]].first, a) << "it is written there";
}

TEST_F(Compiled, WhatHasToRunBetweenKeepsKernelsApart) {
    // The second needs what is awaited behind the reader of the first.
    const NodeId other = sketch.gather("other", x, 1);
    const NodeId a = node("a", "aten.relu.default", {x});
    const NodeId gathered = sketch.gather("gathered", a, 1);
    const NodeId waited = sketch.call("waited", "_c10d_functional.wait_tensor.default", GraphSketch::values({other}),
                                      {sketch.tensor("float32", {64, 64})});
    const NodeId b = node("b", "aten.mul.Tensor", {x, waited});
    const Graph graph = sketch.finish({sketch.wait("wait", gathered), b});
    const Program program = make_program(graph, CompiledScope::whole);
    ASSERT_EQ(program.compute.size(), 2u);
    EXPECT_EQ(program.compute[0].node, a);
    EXPECT_EQ(program.compute[1].node, b);
}

TEST_F(Compiled, WhatOnlyTheNextOneReadsMayBeChangedInPlace) {
    TensorMeta same = sketch.tensor("float32", {64, 64});
    const NodeId a = sketch.call("a", "aten.relu.default", GraphSketch::values({x}), {same});
    const NodeId changed = sketch.call("changed", "aten.add_.Scalar", GraphSketch::values({a}), {same});
    const NodeId last = node("last", "aten.exp.default", {changed});
    const Graph graph = sketch.finish({last});
    const Program program = make_program(graph, CompiledScope::whole);
    ASSERT_EQ(program.compute.size(), 1u);
    EXPECT_EQ(program.compute[0].read_bytes, bytes);
    EXPECT_EQ(program.compute[0].written_bytes, bytes);
    EXPECT_EQ(plan_memory(graph, program).pool_bytes, 2 * bytes);
}

TEST_F(Compiled, ASumBehindAProductIsAProductThatStartsFromIt) {
    const NodeId y = sketch.input("y", sketch.tensor("float32", {64, 64}));
    const NodeId z = sketch.input("z", sketch.tensor("float32", {64, 64}));
    const NodeId product = node("product", "aten.mm.default", {x, y});
    const NodeId sum = node("sum", "aten.add.Tensor", {z, product});
    const Graph graph = sketch.finish({sum});
    const Program program = make_program(graph, CompiledScope::whole);
    ASSERT_EQ(program.compute.size(), 1u);
    const ComputeWork& work = program.compute[0];
    EXPECT_EQ(work.node, sum);
    EXPECT_EQ(work.compute_class, ComputeClass::matrix_multiply);
    EXPECT_TRUE(work.product.adds);
    EXPECT_EQ(work.product.rows, 64);
    EXPECT_EQ(work.product.inner, 64);
    EXPECT_EQ(work.product.columns, 64);
    EXPECT_EQ(work.flops, 2.0 * 64 * 64 * 64);
    EXPECT_EQ(work.read_bytes, 3 * bytes);
    EXPECT_EQ(work.written_bytes, bytes);
    const MemoryPlan memory = plan_memory(graph, program);
    EXPECT_EQ(memory.of_output[memory.first_of_node[product]], MemoryPlan::no_buffer);
    const auto place = [&](NodeId of) { return memory.buffers[memory.of_output[memory.first_of_node[of]]].offset; };
    const Operands operands = find_operands(graph, program, memory).compute.at(0);
    ASSERT_EQ(operands.inputs.size(), 3u);
    EXPECT_EQ(operands.inputs[0].offset, place(z));
    EXPECT_EQ(operands.inputs[1].offset, place(x));
    EXPECT_EQ(operands.inputs[2].offset, place(y));
}

/// A view stands before what writes into the memory that it is of, and is read behind that.
TEST_F(Compiled, WhatReadsAViewOfGivenMemoryComesBehindItsWriter) {
    TensorMeta memory = sketch.tensor("float32", {64, 64});
    const NodeId empty = sketch.call("empty", "aten.empty.memory_format", {}, {memory});
    const NodeId view = sketch.call("view", "aten.view.default", GraphSketch::values({empty}), {memory});
    const NodeId early = node("early", "aten.neg.default", {x});
    const NodeId product = node("product", "aten.mm.default", {early, early});
    const NodeId writer = test::call_with(sketch.builder(), "writer", "aten.split_with_sizes_copy.out",
                                          {Value::of_node(x)}, {{"out", sketch.list({Value::of_node(empty)})}});
    // It reads what `early` reads, so both would be one kernel if they could run in one place.
    const NodeId late = node("late", "aten.add.Tensor", {view, x});
    const NodeId other = node("other", "aten.mm.default", {late, late});
    const Program program = make_program(sketch.finish({product, other}), CompiledScope::whole);
    std::vector<NodeId> launched;
    for (const ComputeWork& work : program.compute) launched.push_back(work.node);
    EXPECT_EQ(launched, (std::vector<NodeId>{early, product, writer, late, other}));
}

/// The nodes of the kernels, in the order in which they are launched.
std::vector<NodeId> launches_of(const Program& program) {
    std::vector<NodeId> launched;
    for (const ComputeWork& work : program.compute) launched.push_back(work.node);
    return launched;
}

TEST_F(Compiled, WhatIsWrittenIntoAGivenTensorIsComputedBefore) {
    const NodeId empty = sketch.call("empty", "aten.empty.memory_format", {}, {sketch.tensor("float32", {64, 64})});
    const NodeId first = node("first", "aten.relu.default", {x});
    const NodeId second = node("second", "aten.neg.default", {first});
    const NodeId view = node("view", "aten.view.default", {second});
    const NodeId writer = test::call_with(sketch.builder(), "writer", "aten.split_with_sizes_copy.out",
                                          {Value::of_node(view)}, {{"out", sketch.list({Value::of_node(empty)})}});
    EXPECT_EQ(launches_of(make_program(sketch.finish({empty}), CompiledScope::whole)),
              (std::vector<NodeId>{first, second, writer}));
}

TEST_F(Compiled, WhatIsWrappedKeepsWhatItReadsAndItsReadersApart) {
    const NodeId before = node("before", "aten.relu.default", {x});
    const NodeId read = node("read", "aten.neg.default", {before});
    const NodeId subgraph = sketch.get_attr("subgraph_mm", "subgraph_mm");
    const NodeId wrapped =
        sketch.call("mm", "higher_order.control_deps",
                    {sketch.list({}), Value::of_node(subgraph), Value::of_node(read), Value::of_node(read)},
                    {sketch.tensor("float32", {64, 64})});
    const NodeId view = node("view", "aten.view.default", {wrapped});
    const NodeId reader = node("reader", "aten.exp.default", {view});
    const NodeId next = node("next", "aten.relu.default", {reader});
    const NodeId last = node("last", "aten.neg.default", {next});
    EXPECT_EQ(launches_of(make_program(sketch.finish({last}), CompiledScope::whole)),
              (std::vector<NodeId>{before, read, wrapped, reader, last}))
        << "what reads the reader is compiled";
}

TEST_F(Compiled, WhatALaterLaunchReadsIsKeptUntilThen) {
    const NodeId product = node("product", "aten.mm.default", {x, x});
    const NodeId a = node("a", "aten.mul.Tensor", {product, x});
    const NodeId b = node("b", "aten.neg.default", {x});
    const NodeId last = node("last", "aten.mm.default", {a, b});
    const Graph graph = sketch.finish({last});
    const Program program = make_program(graph, CompiledScope::whole);
    ASSERT_EQ(launches_of(program), (std::vector<NodeId>{product, b, last}));
    const MemoryPlan memory = plan_memory(graph, program);
    EXPECT_EQ(memory.buffers[memory.of_output[memory.first_of_node[product]]].last, b) << "not `a`, which reads it";
}

TEST_F(Compiled, APartOfWhatIsNotWrittenIsReadWhereThatIsComputedFrom) {
    const TensorMeta whole = sketch.tensor("float32", {64, 64});
    TensorMeta half = sketch.tensor("float32", {32, 64});
    half.storage = whole.storage;
    half.storage_bytes = whole.storage_bytes;
    const NodeId inlined = sketch.call("inlined", "aten.relu.default", GraphSketch::values({x}), {whole});
    const NodeId part = sketch.call(
        "part", "aten.slice.Tensor",
        {Value::of_node(inlined), Value::of_integer(0), Value::of_integer(0), Value::of_integer(32)}, {half});
    const NodeId last =
        sketch.call("last", "aten.exp.default", GraphSketch::values({part}), {sketch.tensor("float32", {32, 64})});
    const Graph graph = sketch.finish({last});
    const Program program = make_program(graph, CompiledScope::whole);
    ASSERT_EQ(launches_of(program), std::vector<NodeId>{last});
    const MemoryPlan memory = plan_memory(graph, program);
    const Operands operands = find_operands(graph, program, memory).compute.at(0);
    ASSERT_EQ(operands.inputs.size(), 1u);
    EXPECT_EQ(operands.inputs[0].offset, memory.buffers[memory.of_output[memory.first_of_node[x]]].offset);
    EXPECT_EQ(operands.inputs[0].bytes, bytes / 2);
}

TEST_F(Compiled, MemoryThatIsWrittenTwiceIsReadAndWrittenInOrder) {
    TensorMeta same = sketch.tensor("float32", {64, 64});
    const NodeId a = sketch.call("a", "aten.relu.default", GraphSketch::values({x}), {same});
    const NodeId before = node("before", "aten.neg.default", {a});
    const NodeId changed = sketch.call("changed", "aten.add_.Tensor", GraphSketch::values({a, x}), {same});
    const NodeId after = node("after", "aten.exp.default", {changed});
    const NodeId last = node("last", "aten.mul.Tensor", {before, after});
    const Program program = make_program(sketch.finish({last}), CompiledScope::whole);
    std::vector<NodeId> launched;
    for (const ComputeWork& work : program.compute) launched.push_back(work.node);
    EXPECT_EQ(launched, (std::vector<NodeId>{a, before, changed, after, last}));
    EXPECT_TRUE(std::ranges::none_of(program.compute, &ComputeWork::is_fused));
}

/// Whether each command of a compiled program reads what was written before it, in the order of launches; what a
/// collective writes is there behind its wait.
void expect_ordered(const Graph& graph, const Program& program, const FusedKernels& kernels) {
    std::vector<bool> written(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) written[node] = graph.op(node) != NodeOp::call_function;
    std::size_t fused = 0, looked_at = 0;
    for (const Command& command : program.commands) {
        if (command.kind == Command::Kind::wait) {
            written[program.collectives[command.index].node] = true;
            continue;
        }
        const ComputeWork* work = command.kind == Command::Kind::compute ? &program.compute[command.index] : nullptr;
        const std::int32_t kernel = kernels.kernel_of_node[command.node];
        if (kernel >= 0) {
            for (const BufferRead& read : kernels.kernels[static_cast<std::size_t>(kernel)].reads)
                ASSERT_TRUE(written[read.node]) << graph.name(command.node) << " reads " << graph.name(read.node);
            ++looked_at;
        }
        if (work && work->kernel) {
            fused += work->is_fused();
            for (const BufferWrite& write : work->kernel->writes) written[write.node] = true;
        } else if (work) {
            written[command.node] = true;
        }
    }
    EXPECT_GT(fused, 0u);
    EXPECT_GT(looked_at, program.compute.size());  // collectives, too
}

TEST(LaunchedKernels, OfGraphsThatAreHereReadWhatWasWrittenBefore) {
    std::size_t tried = 0;
    for (const auto& file : std::filesystem::directory_iterator(OVERLAP_TEST_DATA "/graphs")) {
        const std::string path = file.path().string();
        if (!path.ends_with("prebucket.graph.json.gz")) continue;
        SCOPED_TRACE(path);
        const auto graph = read_graph_file(path);
        for (const CompiledScope scope : {CompiledScope::blocks, CompiledScope::whole}) {
            const Program program = make_program(*graph, scope);
            const FusedKernels kernels = launched_kernels(*graph, scope).kernels;
            expect_ordered(*graph, program, kernels);
            EXPECT_LT(program.compute.size(), make_program(*graph).compute.size());
            // That kernels are launched in the order of the graph costs little of what fusing saves.
            const auto bytes = [](const FusedKernels& made) {
                std::int64_t all = 0;
                for (const FusedKernel& kernel : made.kernels) all += kernel.bytes_read + kernel.bytes_written;
                return static_cast<double>(all);
            };
            const double predicted = bytes(fused_kernels(*graph, compiled_regions(*graph, scope)));
            EXPECT_NEAR(bytes(kernels) / predicted, 1, 0.06);
        }
        ++tried;
    }
    EXPECT_GT(tried, 3u);
}

}  // namespace
}  // namespace overlap::test
