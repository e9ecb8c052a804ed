#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/calibrate/calibration_run.h"
#include "core/cost/named_cost_model.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {

/// Full rates of 1e9 bytes and 1e9 flops a second: 1 ms is 1,000,000 of either.
inline NamedCostModel plain_device() {
    NamedCostModel device;
    device.name = "plain";
    device.device_name = "plain device";
    device.flops_per_s = {{"float32", 1e9}};
    device.memory_bytes_per_s = 1e9;
    device.between_nodes = LinkCost{0, 0, 1e9};
    return device;
}

/// A step of operators in a row, each a kernel, of which the runs of tests are made by hand.
class CalibrationSketch {
  public:
    GraphSketch sketch;
    CalibrationRun run;

    CalibrationSketch() { run.name = "run"; }

    NodeId input(std::int64_t elements) {
        return sketch.input("x" + std::to_string(sketch.builder().node_count()), sketch.tensor("float32", {elements}));
    }
    /// Moves `work_ms` at the full rate, half of it to read.
    NodeId moved(double work_ms, std::optional<double> own_ms = {}) {
        const auto elements = static_cast<std::int64_t>(work_ms * 1e6 / 8);
        const NodeId x = input(elements);
        return call("aten.exp.default", {Value::of_node(x)}, sketch.tensor("float32", {elements}), own_ms);
    }
    /// A product of `work_ms` at the full rate, 500 flops an element of its result.
    NodeId product(double work_ms) {
        const auto columns = static_cast<std::int64_t>(work_ms * 1e6 / (2 * 250 * 250));
        const NodeId left =
            sketch.input("x" + std::to_string(sketch.builder().node_count()), sketch.tensor("float32", {250, 250}));
        const NodeId right =
            sketch.input("x" + std::to_string(sketch.builder().node_count()), sketch.tensor("float32", {250, columns}));
        return call("aten.mm.default", GraphSketch::values({left, right}), sketch.tensor("float32", {250, columns}));
    }
    /// A reduction of `bytes` over a process group.
    NodeId reduced(std::int64_t bytes, std::string_view group = "0") {
        const NodeId x = input(bytes / 4);
        return call("_c10d_functional.all_reduce.default", {Value::of_node(x), sketch.text("sum"), sketch.text(group)},
                    sketch.tensor("float32", {bytes / 4}));
    }
    NodeId waited(NodeId source) {
        return call("_c10d_functional.wait_tensor.default", GraphSketch::values({source}),
                    sketch.tensor("float32", {1}));
    }
    NodeId call(std::string_view target, std::vector<Value> arguments, const TensorMeta& output,
                std::optional<double> own_ms = {}) {
        return sketch.call("n" + std::to_string(sketch.builder().node_count()), target, std::move(arguments), {output},
                           own_ms);
    }

    /// Measured so. @param beside_ms how much of it beside what could slow it.
    void measured(NodeId node, double time_ms, double beside_ms = 0) {
        run.samples.push_back({.node = node, .time_ms = time_ms, .beside_ms = beside_ms});
    }
    const CalibrationRun& finish(std::initializer_list<NodeId> returned = {}) {
        run.graph = std::make_shared<const Graph>(sketch.finish(returned));
        return run;
    }
};

}  // namespace overlap::test
