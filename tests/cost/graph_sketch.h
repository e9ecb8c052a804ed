#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph_builder.h"

namespace overlap::test {

/// Draws small graphs for tests: names, targets and times, one line a node.
class GraphSketch {
  public:
    GraphSketch() {
        header_.name = "sketch";
        CostParameters cost;
        cost.flops_per_s = {{"bfloat16", 1e12}, {"float32", 5e11}};
        cost.flops_efficiency = 0.5;
        cost.memory_bytes_per_s = 1e9;
        cost.memory_efficiency = 0.5;
        header_.cost = cost;
        group("0", 4, 0.02, 1e9);
    }

    GraphHeader& header() { return header_; }
    GraphBuilder& builder() { return builder_; }

    void group(std::string_view name, int size, double latency_ms, double bytes_per_s) {
        ProcessGroup group;
        group.name = name;
        for (int rank = 0; rank < size; ++rank) group.ranks.push_back(rank);
        header_.process_groups.push_back(group);
        if (header_.cost) header_.cost->links.push_back({std::string(name), latency_ms, bytes_per_s});
    }

    TensorMeta tensor(std::string_view dtype, std::vector<std::int64_t> sizes, std::string_view device = "cuda") {
        return builder_.contiguous_tensor(*dtype_by_name(dtype), sizes, device);
    }
    /// A tensor of `bytes` bytes in the storage called `storage`.
    TensorMeta bytes(std::int64_t count, std::optional<std::uint32_t> storage = {}, std::string_view device = "cuda") {
        TensorMeta meta = tensor("uint8", {count}, device);
        if (storage) meta.storage = *storage;
        return meta;
    }

    NodeId input(std::string_view name, const TensorMeta& value) { return builder_.placeholder(name, {&value, 1}); }

    NodeId call(std::string_view name, std::string_view target, std::vector<Value> arguments,
                std::vector<TensorMeta> outputs, std::optional<double> estimate_ms = {}) {
        NodeMetadata metadata;
        metadata.estimate_ms = estimate_ms;
        return builder_.call(name, target, arguments, outputs, metadata);
    }

    /// @param value nothing: the file does not say what it is.
    NodeId get_attr(std::string_view name, std::string_view target, const std::optional<TensorMeta>& value = {}) {
        NodeRecord record;
        record.name = builder_.intern(name);
        record.target = builder_.target(target);
        record.op = NodeOp::get_attr;
        record.args = builder_.list({});
        return value ? builder_.add(record, {}, {&*value, 1}) : builder_.add(record);
    }

    /// `name` occupies the compute stream for `time_ms`.
    NodeId compute(std::string_view name, std::initializer_list<NodeId> inputs, double time_ms) {
        return call(name, "aten.mm.default", values(inputs), {tensor("float32", {2, 2})}, time_ms);
    }
    /// A cast: work that can move along with a collective.
    NodeId cast(std::string_view name, NodeId source, double time_ms) {
        return call(name, "prims.convert_element_type.default", values({source}), {tensor("bfloat16", {4})}, time_ms);
    }
    NodeId gather(std::string_view name, NodeId source, double time_ms, std::string_view group = "0") {
        return call(name, "_c10d_functional.all_gather_into_tensor.default",
                    {Value::of_node(source), Value::of_integer(4), text(group)}, {tensor("float32", {16})}, time_ms);
    }
    NodeId reduce(std::string_view name, NodeId source, double time_ms, std::string_view group = "0") {
        return call(name, "_c10d_functional.all_reduce.default", {Value::of_node(source), text("sum"), text(group)},
                    {tensor("float32", {4})}, time_ms);
    }
    NodeId wait(std::string_view name, NodeId source) {
        return call(name, "_c10d_functional.wait_tensor.default", values({source}), {tensor("float32", {16})});
    }
    NodeId item(std::string_view name, NodeId source, std::int64_t index) {
        return call(name, "operator.getitem", {Value::of_node(source), Value::of_integer(index)},
                    {tensor("float32", {16})});
    }

    Value text(std::string_view content) { return builder_.string(content); }
    Value list(std::vector<Value> items) { return builder_.list(items); }
    static std::vector<Value> values(std::initializer_list<NodeId> nodes) {
        std::vector<Value> list;
        for (const NodeId node : nodes) list.push_back(Value::of_node(node));
        return list;
    }

    Graph finish(std::initializer_list<NodeId> returned = {}) {
        builder_.output(values(returned));
        return builder_.finish(header_);
    }

  private:
    GraphBuilder builder_;
    GraphHeader header_;
};

}  // namespace overlap::test
