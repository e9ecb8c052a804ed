#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/exports/export_format.h"
#include "core/graph/graph_builder.h"

namespace overlap::test {

/// A step small enough that every word of an export can be asked: gathers of the parameters of two layers, `a` and `b`
/// of `layers.0` and `c` of `layers.1`, and compute that needs them.
class SmallStep {
  public:
    SmallStep() {
        header_.name = "small";
        header_.process_groups = {{"0", {0, 1, 2, 3}, 2, "", "fsdp"}};
        header_.cost.emplace();
        header_.cost->flops_per_s = {{"float32", 1e12}};
        header_.cost->memory_bytes_per_s = 1e12;
        header_.cost->links = {{"0", 0, 1e9}};
        const NodeId x = input("x", 4), w_a = input("w_a", 65536), w_b = input("w_b", 65536), w_c = input("w_c", 32768);
        const NodeId a = gathered("a", w_a, 262144, "layers.0"), b = gathered("b", w_b, 262144, "layers.0");
        const NodeId one = compute("one", {x, a, w_c}, "layers.0"), two = compute("two", {one, b}, "layers.0");
        const NodeId c = gathered("c", w_c, 131072, "layers.1");
        const NodeId three = compute("three", {two, c}, "layers.1");
        const Value returned[] = {Value::of_node(three)};
        builder_.output(returned);
        graph_ = std::make_shared<const Graph>(builder_.finish(header_));
    }

    const std::shared_ptr<const Graph>& graph() const { return graph_; }
    /// What a format makes of the plan.
    ExportOutput exported(std::string_view format, const Plan& plan) const {
        const ExportInput input{plan, evaluate(graph_, plan), evaluate_baseline(graph_), "test", ""};
        return write_export(require_export_format(format), input);
    }

  private:
    TensorMeta tensor(std::int64_t size) {
        return builder_.contiguous_tensor(*dtype_by_name("float32"), std::vector<std::int64_t>{size});
    }
    NodeMetadata of(std::string_view module, double time_ms) {
        NodeMetadata metadata;
        metadata.module_fqn = builder_.intern(module);
        metadata.custom_json = builder_.intern(R"({"module_fqn":")" + std::string(module) + R"("})");
        if (time_ms > 0) metadata.estimate_ms = time_ms;
        return metadata;
    }
    NodeId input(std::string_view name, std::int64_t size) {
        const TensorMeta value = tensor(size);
        return builder_.placeholder(name, {&value, 1});
    }
    /// @returns the wait.
    NodeId gathered(const std::string& name, NodeId input, std::int64_t size, std::string_view module) {
        const TensorMeta value = tensor(size);
        const Value arguments[] = {Value::of_node(input), Value::of_integer(4), builder_.string("0")};
        const Value awaited[] = {Value::of_node(builder_.call(name, "_c10d_functional.all_gather_into_tensor.default",
                                                              arguments, {&value, 1}, of(module, 0)))};
        return builder_.call("wait_" + name, "_c10d_functional.wait_tensor.default", awaited, {&value, 1},
                             of(module, 0));
    }
    NodeId compute(std::string_view name, std::vector<NodeId> inputs, std::string_view module) {
        std::vector<Value> arguments;
        for (const NodeId input : inputs) arguments.push_back(Value::of_node(input));
        const TensorMeta value = tensor(4);
        return builder_.call(name, "aten.dot.default", arguments, {&value, 1}, of(module, 1));
    }

    GraphBuilder builder_;
    GraphHeader header_;
    std::shared_ptr<const Graph> graph_;
};

}  // namespace overlap::test
