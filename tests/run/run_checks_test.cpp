#include "core/run/run_checks.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/run/operands.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

constexpr std::int64_t mib = 1 << 20;

/// What check_runnable() says of a graph on a device of so many bytes; empty where it can be run.
std::string refusal(const Graph& graph, std::int64_t device_memory_bytes) {
    const Program program = make_program(graph);
    const MemoryPlan memory = plan_memory(graph, program);
    const DevicePlan device = plan_device_work(program, find_operands(graph, program, memory));
    try {
        check_runnable(graph, memory, device, device_memory_bytes);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(RunChecks, ASizeWithoutANumberIsRefused) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    Value symbol = sketch.list({sketch.text("u0"), Value::of_none()});
    symbol.kind = ValueKind::symbol;
    sketch.call("slice", "aten.slice.Tensor", {Value::of_node(x), Value::of_integer(0), symbol},
                {sketch.tensor("float32", {4})});
    EXPECT_EQ(refusal(sketch.finish(), 0),
              "node \"slice\": the size \"u0\" has no hint; a run needs a number for every size");
}

TEST(RunChecks, WhatTheDeviceCannotHoldIsRefusedWithTheNode) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.bytes(10 * mib));
    const NodeId big = sketch.call("big", "aten.relu.default", GraphSketch::values({x}), {sketch.bytes(50 * mib)});
    const Graph graph = sketch.finish({big});
    EXPECT_EQ(refusal(graph, 0), "") << "nothing is known of the device";
    EXPECT_EQ(refusal(graph, 92 * mib), "") << "the pool and cuBLASLt's workspace";
    EXPECT_NE(refusal(graph, 40 * mib).find("node \"big\": it needs"), std::string::npos);
    EXPECT_EQ(
        refusal(graph, 91 * mib),
        "node \"big\": the step holds 60 MiB there and needs a pool of 60 MiB and 32 MiB beside it, the device has "
        "91 MiB");
}

/// What check_collectives() says of one collective, of a group that is run as told.
std::string refusal_of(std::string_view target, std::string_view dtype, std::string_view reduction, bool real) {
    GraphSketch sketch;
    const TensorMeta tensor = sketch.tensor(dtype, {4});
    const NodeId x = sketch.input("x", tensor);
    sketch.call("collective", target, {Value::of_node(x), sketch.text(reduction), sketch.text("0")}, {tensor});
    const Graph graph = sketch.finish();
    GroupPlacement placement;
    placement.real = real;
    try {
        check_collectives(graph, make_program(graph), {placement});
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(RunChecks, WhatNcclLacksIsRefusedBeforeAnythingIsLaunched) {
    const std::string_view reduce = "_c10d_functional.all_reduce.default";
    EXPECT_EQ(refusal_of(reduce, "bfloat16", "sum", true), "");
    EXPECT_EQ(refusal_of(reduce, "complex64", "sum", true), "node \"collective\": NCCL has no element type complex64");
    EXPECT_EQ(refusal_of(reduce, "float32", "premul_sum", true),
              "node \"collective\": NCCL has no reduction \"premul_sum\"");
}

TEST(RunChecks, AnEmulatedGroupMayDoWhatNcclLacks) {
    EXPECT_EQ(refusal_of("_c10d_functional.all_reduce.default", "complex64", "premul_sum", false), "");
}

}  // namespace
}  // namespace overlap::test
