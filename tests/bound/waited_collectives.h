#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/cost/graph_sketch.h"

namespace overlap::test {

/// A collective of a sketch that `NAME_start` starts; what is called `name` waits for it.
inline NodeId add_collective(GraphSketch& sketch, std::string_view name, std::string_view target,
                             std::vector<Value> arguments, const TensorMeta& result, double time_ms) {
    const NodeId start = sketch.call(std::string(name) + "_start", target, std::move(arguments), {result}, time_ms);
    return sketch.call(name, "_c10d_functional.wait_tensor.default", GraphSketch::values({start}), {result});
}

/// An all-gather over 4 ranks, with its wait.
inline NodeId add_all_gather(GraphSketch& sketch, std::string_view name, NodeId from, const TensorMeta& result,
                             double time_ms, std::string_view group = "0") {
    return add_collective(sketch, name, "_c10d_functional.all_gather_into_tensor.default",
                          {Value::of_node(from), Value::of_integer(4), sketch.text(group)}, result, time_ms);
}

/// A reduce-scatter of a sum over the 4 ranks of group 0, with its wait.
inline NodeId add_reduce_scatter(GraphSketch& sketch, std::string_view name, NodeId from, const TensorMeta& result,
                                 double time_ms) {
    return add_collective(sketch, name, "_c10d_functional.reduce_scatter_tensor.default",
                          {Value::of_node(from), sketch.text("sum"), Value::of_integer(4), sketch.text("0")}, result,
                          time_ms);
}

/// An all-to-all with its wait.
inline NodeId add_all_to_all(GraphSketch& sketch, std::string_view name, NodeId from, const TensorMeta& result,
                             double time_ms, std::string_view group = "0") {
    return add_collective(sketch, name, "_c10d_functional.all_to_all_single.default",
                          {Value::of_node(from), sketch.list({}), sketch.list({}), sketch.text(group)}, result,
                          time_ms);
}

}  // namespace overlap::test
