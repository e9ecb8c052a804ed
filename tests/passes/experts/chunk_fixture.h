#pragma once

#include <string>
#include <vector>

#include "tests/passes/pass_fixture.h"

namespace overlap::test {

/// Steps whose module `layers.1.moe` exchanges tokens among experts; its batch of 8 is the symbol u0.
class ChunkTest : public PassTest {
  protected:
    NodeMetadata in(std::string_view module, std::string_view label = "") {
        NodeMetadata metadata;
        std::string custom = R"({"module_fqn":")" + std::string(module) + '"';
        if (!label.empty()) custom += R"(,"EP":")" + std::string(label) + '"';
        metadata.custom_json = builder_.intern(custom + "}");
        metadata.module_fqn = builder_.intern(module);
        metadata.extra_json = builder_.intern(R"({"symbolic_shapes":[["u0",4]]})");
        return metadata;
    }
    NodeId batch(std::string_view name, std::int64_t size = 8) {
        NodeRecord record;
        record.name = builder_.intern(name);
        record.op = NodeOp::placeholder;
        record.target = builder_.target(name);
        record.args = builder_.list({});
        record.kwargs = builder_.dictionary({});
        record.has_outputs = true;
        NodeMetadata metadata;
        metadata.extra_json = builder_.intern(R"({"symbolic_shapes":[["u0",4]]})");
        const TensorMeta out = tensor({size, 4});
        return builder_.add(record, metadata, std::span(&out, 1));
    }
    NodeId node(std::string_view name, std::string_view target, std::vector<NodeId> inputs, NodeMetadata metadata,
                std::int64_t size = 8) {
        std::vector<Value> args;
        for (const NodeId input : inputs) args.push_back(Value::of_node(input));
        return call(name, target, args, {size, 4}, metadata);
    }
    NodeId tokens(std::string_view name, NodeId input, std::int64_t size = 8,
                  std::string_view module = "layers.1.moe") {
        const Value splits[] = {Value::of_integer(4), Value::of_integer(4)};
        return call(name, "_c10d_functional.all_to_all_single.default",
                    {Value::of_node(input), builder_.list(splits), builder_.list(splits), builder_.string("0")},
                    {size, 4}, in(module, "dispatch"));
    }
    /// x -> relu -> all-to-all -> wait, read by a node behind the module.
    void step(std::int64_t size = 8) {
        const NodeId x = batch("x", size);
        const NodeId relu = node("relu", "aten.relu.default", {x}, in("layers.1.moe"), size);
        const NodeId exchanged = tokens("all_to_all_single", relu, size);
        const NodeId waited = node("wait_tensor", "_c10d_functional.wait_tensor.default", {exchanged},
                                   in("layers.1.moe", "dispatch"), size);
        output({node("add", "aten.sigmoid.default", {waited}, in("layers.1"), size)});
    }
    std::string fields(std::string_view name) const {
        const NodeId node = result_.graph->find(name);
        return node == no_node ? "no such node"
                               : std::string(result_.graph->text(result_.graph->metadata(node).extra_json));
    }
    const Json options_ = {{"mode", "batch"}, {"module_pattern", "layers.*.moe"}, {"num_static_inputs", 0}};
};

}  // namespace overlap::test
