#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tests/cost/graph_sketch.h"

namespace overlap::test {

/// An all-gather of [2, 8] over 4 ranks fused with a product, its result read by a product fused with a reduce-scatter.
/// As after asynchronous tensor parallelism, none of them has a value.
class FusedSketch : public GraphSketch {
  public:
    FusedSketch() {
        const NodeId shard = sized("shard", {2, 8}), up = sized("up", {8, 16}), down = sized("down", {16, 4});
        restrided = without_value("restrided", "prims.inductor_force_stride_order.default",
                                  {Value::of_node(shard), list({Value::of_integer(8), Value::of_integer(1)})});
        gather = fused_gather("gather", restrided, up);
        const NodeId products =
            without_value("list", "operator.getitem", {Value::of_node(gather), Value::of_integer(1)});
        wide = without_value("wide", "operator.getitem", {Value::of_node(products), Value::of_integer(0)});
        scatter = fused_scatter("scatter", wide, down);
    }

    NodeId sized(std::string_view name, std::vector<std::int64_t> sizes) {
        return input(name, tensor("float32", std::move(sizes)));
    }
    NodeId without_value(std::string_view name, std::string_view target, std::vector<Value> arguments) {
        return call(name, target, std::move(arguments), {});
    }
    NodeId fused_gather(std::string_view name, NodeId left, NodeId right) {
        return without_value(name, "symm_mem.fused_all_gather_matmul.default",
                             {Value::of_node(left), list({Value::of_node(right)}), Value::of_integer(0), text("0")});
    }
    NodeId fused_scatter(std::string_view name, NodeId left, NodeId right) {
        return without_value(
            name, "symm_mem.fused_matmul_reduce_scatter.default",
            {Value::of_node(left), Value::of_node(right), text("sum"), Value::of_integer(0), text("0")});
    }

    NodeId restrided = no_node, gather = no_node, wide = no_node, scatter = no_node;
};

/// 0.02 ms and 256 bytes at 1 GB/s for the gather; 1280 bytes at half of 1 GB/s for the product, a quarter of it first.
inline constexpr double fused_gather_ms = 0.020256 + (8 * 8 + 8 * 16 + 8 * 16) * 4 / 0.5e9 * 1e3 / 4;

}  // namespace overlap::test
