#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/run/host_memory.h"
#include "core/run/measured_run.h"
#include "core/run/operands.h"
#include "core/run/run.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/problem_of.h"

namespace overlap::test {
namespace {

using Kind = Command::Kind;

/// Two tensors of 512 bytes that are copied to the host, one after the other, and brought back in turn.
struct TwoCopies {
    GraphSketch sketch;
    NodeId x, first, first_out, first_there, second, second_out, second_there, between, first_back, first_here, use,
        second_back, second_here, last;
    Graph graph;
    Program program;

    TwoCopies()
        : x(sketch.input("x", sketch.bytes(512))),
          first(compute("first", x)),
          first_out(sketch.call("first_out", "ao.offload.default", GraphSketch::values({first}), {host()})),
          first_there(wait("first_there", {first_out, first}, host())),
          second(compute("second", x)),
          second_out(sketch.call("second_out", "ao.offload.default", GraphSketch::values({second}), {host()})),
          second_there(wait("second_there", {second_out, second}, host())),
          between(compute("between", x)),
          first_back(reload("first_back", first_there)),
          first_here(wait("first_here", {first_back, first_there}, sketch.bytes(512, 70))),
          use(compute("use", first_here)),
          second_back(reload("second_back", second_there, 71)),
          second_here(wait("second_here", {second_back, second_there}, sketch.bytes(512, 71))),
          last(compute("last", second_here)),
          graph(sketch.finish({use, last})),
          program(make_program(graph)) {}

    TensorMeta host() { return sketch.bytes(512, {}, "cpu"); }
    NodeId compute(std::string_view name, NodeId source) {
        return sketch.call(name, "aten.relu.default", GraphSketch::values({source}), {sketch.bytes(512)});
    }
    NodeId wait(std::string_view name, std::initializer_list<NodeId> inputs, const TensorMeta& output) {
        return sketch.call(name, "ao.wait_tensor.default", GraphSketch::values(inputs), {output});
    }
    NodeId reload(std::string_view name, NodeId source, std::uint32_t storage = 70) {
        return sketch.call(name, "ao.reload.default", GraphSketch::values({source}), {sketch.bytes(512, storage)});
    }
    const Buffer& buffer(const MemoryPlan& memory, NodeId node) const {
        return memory.buffers.at(memory.of_output.at(memory.first_of_node.at(node)));
    }
};

TEST(HostCopies, AreCommandsOfTheirOwnThatWaitsAwait) {
    const TwoCopies copies;
    std::vector<std::pair<Kind, NodeId>> commands;
    for (const Command& command : copies.program.commands) commands.emplace_back(command.kind, command.node);
    const std::vector<std::pair<Kind, NodeId>> expected{{Kind::compute, copies.first},
                                                        {Kind::transfer, copies.first_out},
                                                        {Kind::transfer_wait, copies.first_there},
                                                        {Kind::compute, copies.second},
                                                        {Kind::transfer, copies.second_out},
                                                        {Kind::transfer_wait, copies.second_there},
                                                        {Kind::compute, copies.between},
                                                        {Kind::transfer, copies.first_back},
                                                        {Kind::transfer_wait, copies.first_here},
                                                        {Kind::compute, copies.use},
                                                        {Kind::transfer, copies.second_back},
                                                        {Kind::transfer_wait, copies.second_here},
                                                        {Kind::compute, copies.last}};
    EXPECT_EQ(commands, expected);
    ASSERT_EQ(copies.program.transfers.size(), 4u);
    EXPECT_TRUE(copies.program.transfers[1].to_host);
    EXPECT_FALSE(copies.program.transfers[3].to_host);
    EXPECT_EQ(copies.program.transfers[2].source, 0u);
    EXPECT_EQ(copies.program.transfers[3].source, 1u);
    EXPECT_EQ(copies.program.transfers[3].bytes, 512);
    EXPECT_EQ(copies.program.transfers[0].awaited_at, 2u);
}

TEST(HostCopies, AReloadOfWhatWasNotCopiedThereIsRefused) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(512, {}, "cpu"));
    sketch.call("back", "ao.reload.default", GraphSketch::values({x}), {sketch.bytes(512)});
    const Graph graph = sketch.finish();
    try {
        make_program(graph);
        FAIL() << "no refusal";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "node \"back\": what it brings back was not copied to the host in this graph");
    }
}

TEST(HostCopies, DeviceMemoryIsHeldUntilACopyIsAwaited) {
    const TwoCopies copies;
    const MemoryPlan memory = plan_memory(copies.graph, copies.program);
    EXPECT_EQ(copies.buffer(memory, copies.first).last, copies.first_there);
    EXPECT_EQ(copies.buffer(memory, copies.second).offset, copies.buffer(memory, copies.first).offset)
        << "what is on the host leaves its place";
    const Buffer& back = copies.buffer(memory, copies.first_back);
    EXPECT_EQ(back.first, copies.first_back);
    EXPECT_EQ(back.last, copies.use);
    EXPECT_EQ(&copies.buffer(memory, copies.first_here), &back);
    for (const NodeId on_host : {copies.first_out, copies.first_there})
        EXPECT_EQ(memory.of_output.at(memory.first_of_node.at(on_host)), MemoryPlan::no_buffer);
}

TEST(HostCopies, HostMemoryIsUsedAgainWhenItWasBroughtBack) {
    const TwoCopies copies;
    const HostMemory host = plan_host_memory(copies.program);
    EXPECT_EQ(host.offsets, (std::vector<std::int64_t>{0, 512, 0, 512}));
    EXPECT_EQ(host.bytes, 1024);

    // One after the other they share a place.
    Program in_turn = copies.program;
    std::vector<Command> order(in_turn.commands.begin(), in_turn.commands.end());
    std::rotate(order.begin() + 3, order.begin() + 7, order.begin() + 9);
    in_turn.commands = order;
    for (std::uint32_t command = 0; command < order.size(); ++command) {
        if (order[command].kind == Kind::transfer_wait) in_turn.transfers[order[command].index].awaited_at = command;
    }
    EXPECT_EQ(plan_host_memory(in_turn).bytes, 512);

    // What is never brought back stays.
    Program kept = copies.program;
    kept.transfers.resize(2);
    std::erase_if(kept.commands, [](const Command& command) {
        return (command.kind == Kind::transfer || command.kind == Kind::transfer_wait) && command.index >= 2;
    });
    EXPECT_EQ(plan_host_memory(kept).bytes, 1024);
}

TEST(HostCopies, AStepMayBeginWithACopy) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(512));
    const NodeId out =
        sketch.call("out", "ao.offload.default", GraphSketch::values({x}), {sketch.bytes(512, {}, "cpu")});
    const NodeId there =
        sketch.call("there", "ao.wait_tensor.default", GraphSketch::values({out, x}), {sketch.bytes(512, {}, "cpu")});
    const Program program = make_program(sketch.finish({there}));
    ASSERT_EQ(program.commands.at(0).kind, Kind::transfer);
    EXPECT_EQ(plan_host_memory(program).bytes, 512);
}

TEST(HostCopies, TheirTensorsLieInThePool) {
    const TwoCopies copies;
    const MemoryPlan memory = plan_memory(copies.graph, copies.program);
    const ProgramOperands operands = find_operands(copies.graph, copies.program, memory);
    ASSERT_EQ(operands.transfers.size(), 4u);
    EXPECT_EQ(operands.transfers[0].offset, copies.buffer(memory, copies.first).offset);
    EXPECT_EQ(operands.transfers[2].offset, copies.buffer(memory, copies.first_back).offset);
    for (const PoolSpan& span : operands.transfers) EXPECT_EQ(span.bytes, 512);
}

TEST(HostCopies, ADryRunFollowsThem) {
    const TwoCopies copies;
    DryExecutor executor(copies.program);
    RunOptions two_steps;
    two_steps.warm_up = 0;
    two_steps.iterations = 2;
    run_steps(copies.program, executor, *single_rank(), two_steps);
    EXPECT_EQ(executor.commands(), 2 * copies.program.commands.size());

    Program early = copies.program;
    std::swap(early.commands[1], early.commands[2]);
    DryExecutor of_early(early);
    EXPECT_EQ(problem_of([&] { run_steps(early, of_early, *single_rank(), {}); }),
              "copy 1 between device and host: it is awaited before it is started");
    Program unfounded = copies.program;
    std::swap(unfounded.commands[1], unfounded.commands[7]);
    DryExecutor of_unfounded(unfounded);
    EXPECT_EQ(problem_of([&] { run_steps(unfounded, of_unfounded, *single_rank(), {}); }),
              "copy 3 between device and host: it brings back what has not been copied to the host");
}

TEST(HostCopies, TheTimelineTellsForHowLongComputeStoodForThem) {
    const TwoCopies copies;
    MeasuredRun run(copies.graph, copies.program);
    run.add_step({{copies.first, 0, 1'000'000, 1},
                  {copies.first_out, 1'000'000, 3'000'000, 2},
                  {copies.second, 3'000'000, 4'000'000, 1},
                  {copies.second_out, 4'000'000, 4'500'000, 2},
                  {copies.between, 4'500'000, 9'000'000, 1},
                  {copies.first_back, 9'000'000, 10'000'000, 2},
                  {copies.use, 10'000'000, 11'000'000, 1},
                  {copies.second_back, 11'000'000, 11'250'000, 2},
                  {copies.last, 11'250'000, 12'000'000, 1}});
    EXPECT_EQ(run.transfer_exposed_ms(), (std::vector<double>{3.75}));
    EXPECT_EQ(run.exposed_ms(), (std::vector<double>{0}));
    const Simulation timeline = run.timeline();
    EXPECT_DOUBLE_EQ(timeline.step_ms, 12);
    EXPECT_DOUBLE_EQ(timeline.compute_ms, 8.25) << "copies are no compute";
    EXPECT_DOUBLE_EQ(timeline.transfers.at(0).start_ms, 1);
    EXPECT_DOUBLE_EQ(timeline.transfers.at(0).end_ms, 3);
    EXPECT_DOUBLE_EQ(timeline.transfers.at(0).exposed_ms, 2);
    const auto measured = run.measurements();
    ASSERT_EQ(measured.at(1).node, copies.first_out);
    EXPECT_DOUBLE_EQ(measured[1].exposed_ms, 2);

    RunRecord record;
    record.dry = false;
    record.machines = {"host"};
    record.step_ms = {12};
    record.recorded_steps = 1;
    record.recorded_transfer_exposed_ms = 3.75;
    record.host_bytes = 1024;
    record.nodes = measured;
    const auto json = nlohmann::json::parse(
        run_json(copies.graph, copies.program, plan_memory(copies.graph, copies.program), record));
    EXPECT_EQ(json["commands"]["transfer"], 4);
    EXPECT_EQ(json["memory"]["host_bytes"], 1024);
    EXPECT_EQ(json["recorded"]["transfer_exposed_ms"], 3.75);
    EXPECT_EQ(json["nodes"][1]["kind"], "copy_to_host");
    EXPECT_EQ(json["nodes"][1]["bytes"], 512);
    EXPECT_EQ(json["nodes"][1]["exposed_ms"], 2);
    EXPECT_EQ(json["nodes"][5]["kind"], "copy_from_host");
}

TEST(HostCopies, ComputeGoesOnWhenACopyThatItAwaitsHasEnded) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(512));
    const NodeId out =
        sketch.call("out", "ao.offload.default", GraphSketch::values({x}), {sketch.bytes(512, {}, "cpu")});
    const NodeId there =
        sketch.call("there", "ao.wait_tensor.default", GraphSketch::values({out, x}), {sketch.bytes(512, {}, "cpu")});
    const NodeId gathered = sketch.gather("gathered", x, 1);
    const NodeId waited = sketch.wait("waited", gathered);
    const Graph graph = sketch.finish({there, waited});
    MeasuredRun run(graph, make_program(graph));
    run.add_step({{out, 0, 2'000'000, 2}, {gathered, 2'500'000, 3'000'000, 7}});
    const Simulation timeline = run.timeline();
    EXPECT_DOUBLE_EQ(timeline.nodes[there].end_ms, 2);
    EXPECT_DOUBLE_EQ(timeline.collectives.at(0).ready_ms, 2);
    EXPECT_DOUBLE_EQ(timeline.nodes[waited].end_ms, 3);
}

TEST(HostCopies, TheListOfCommandsSaysWhereTheyGo) {
    const TwoCopies copies;
    const std::string list = command_list(copies.graph, copies.program);
    EXPECT_NE(list.find("stream of copies: 512 B to the host  (first_out)\n"), std::string::npos) << list;
    EXPECT_NE(list.find("stream of copies: 512 B from the host  (first_back)\n"), std::string::npos) << list;
    EXPECT_NE(list.find("compute stream: wait for first_out  (first_there)\n"), std::string::npos) << list;
}

}  // namespace
}  // namespace overlap::test
