#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/passes/memory/recompute_tags.h"
#include "tests/passes/pass_fixture.h"

namespace overlap::test {

/// Graphs with the trainer's metadata: modules, directions and recompute tags.
class MemoryPassTest : public PassTest {
  protected:
    static constexpr std::string_view tag_pass = "tag_with_memory_policy_pass", offload_pass = "apply_cpu_offload_pass",
                                      remat_pass = "selective_activation_remat_pass";

    NodeMetadata in(std::string_view module, std::string_view tag = "") {
        NodeMetadata metadata;
        metadata.module_fqn = builder_.intern(module);
        if (!tag.empty()) {
            metadata.extra_json =
                builder_.intern(R"({"titan_meta":{"recompute":"CheckpointPolicy.)" + std::string(tag) + R"("}})");
        }
        return metadata;
    }
    NodeMetadata backward_in(std::string_view module) {
        NodeMetadata metadata = in(module);
        metadata.autograd_backward = true;
        return metadata;
    }
    NodeId node(std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs,
                const NodeMetadata& metadata, std::vector<std::int64_t> shape = {64, 64}) {
        std::vector<Value> args;
        for (const NodeId input : inputs) args.push_back(Value::of_node(input));
        return call(name, target, std::move(args), std::move(shape), metadata);
    }
    NodeId getitem(std::string_view name, NodeId parent, std::int64_t index, const NodeMetadata& metadata) {
        return call(name, "operator.getitem", {Value::of_node(parent), Value::of_integer(index)}, {64, 64}, metadata);
    }
    /// A node that returns two tensors.
    NodeId pair(std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs,
                const NodeMetadata& metadata) {
        std::vector<Value> args;
        for (const NodeId input : inputs) args.push_back(Value::of_node(input));
        NodeRecord record;
        record.name = builder_.intern(name);
        record.target = builder_.target(target);
        record.args = builder_.list(args);
        record.multi = true;
        const std::vector<TensorMeta> outputs = {tensor({64, 64}), tensor({64, 64})};
        return builder_.add(record, metadata, outputs);
    }

    /// `name TAG` of each tagged node of the result.
    Names tags() const {
        Names listed;
        const std::vector<memory::RecomputeTag> tags = memory::recompute_tags(*result_.graph, "test");
        for (NodeId id = 0; id < result_.graph->node_count(); ++id) {
            if (tags[id] == memory::RecomputeTag::none) continue;
            listed.push_back(std::string(result_.graph->name(id)) + " " +
                             std::string(memory::recompute_tag_name(tags[id])));
        }
        return listed;
    }
    std::string tag(std::string_view name) const {
        for (const std::string& listed : tags()) {
            if (listed.starts_with(std::string(name) + " ")) return listed.substr(name.size() + 1);
        }
        return "";
    }
    Names users(std::string_view name) const {
        Names listed;
        for (const NodeId user : result_.graph->users(result_.graph->find(name))) {
            listed.emplace_back(result_.graph->name(user));
        }
        return listed;
    }
    NodeMetadata metadata(std::string_view name) const { return result_.graph->metadata(result_.graph->find(name)); }
};

}  // namespace overlap::test
