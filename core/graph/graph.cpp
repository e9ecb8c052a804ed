#include "core/graph/graph.h"

#include <algorithm>
#include <array>

#include "core/graph/graph_edges.h"

namespace overlap {

namespace {
constexpr std::array<std::string_view, 6> op_names = {"placeholder", "get_attr",    "call_function",
                                                      "call_module", "call_method", "output"};
}

std::string_view node_op_name(NodeOp op) {
    return op_names[static_cast<std::size_t>(op)];
}

std::optional<NodeOp> node_op_by_name(std::string_view name) {
    for (std::size_t index = 0; index < op_names.size(); ++index) {
        if (op_names[index] == name) return static_cast<NodeOp>(index);
    }
    return std::nullopt;
}

const CostParameters::Link* CostParameters::link(std::string_view process_group) const {
    for (const Link& link : links) {
        if (link.process_group == process_group) return &link;
    }
    return nullptr;
}

const ProcessGroup* GraphHeader::process_group(std::string_view group_name) const {
    for (const ProcessGroup& group : process_groups) {
        if (group.name == group_name) return &group;
    }
    return nullptr;
}

NodeId Graph::find(std::string_view wanted) const {
    const StringId id = strings_->find(wanted);
    return id < by_name_.size() ? by_name_[id] : no_node;
}

std::uint32_t Graph::find_target(std::string_view wanted) const {
    const StringId id = strings_->find(wanted);
    return id < target_by_name_.size() ? target_by_name_[id] : no_target;
}

std::int64_t Graph::element_count(const TensorMeta& tensor) const {
    std::int64_t count = 1;
    for (const std::int64_t size : shape(tensor)) count *= size;
    return count;
}

std::int64_t Graph::tensor_bytes(const TensorMeta& tensor) const {
    return tensor.is_tensor ? element_count(tensor) * dtype_info(tensor.dtype).bytes : 0;
}

std::int64_t Graph::output_bytes(NodeId node) const {
    std::int64_t bytes = 0;
    for (const TensorMeta& tensor : outputs(node)) bytes += tensor_bytes(tensor);
    return bytes;
}

const Value* Graph::argument(NodeId node, std::size_t index) const {
    const std::span<const Value> args = children(records_[node].args);
    return index < args.size() ? &args[index] : nullptr;
}

const Value* Graph::keyword(NodeId node, std::string_view key) const {
    const std::span<const Value> kwargs = children(records_[node].kwargs);
    for (std::size_t index = 0; index + 1 < kwargs.size(); index += 2) {
        if (text(kwargs[index].string) == key) return &kwargs[index + 1];
    }
    return nullptr;
}

std::span<const ModuleStackEntry> Graph::module_stack(ModuleStackId stack) const {
    const ModuleStacks& stacks = *module_stacks_;
    return {stacks.entries.data() + stacks.offsets[stack], stacks.entries.data() + stacks.offsets[stack + 1]};
}

std::string_view Graph::group_name(NodeId node) const {
    const TargetInfo& info = target_info(node);
    if (info.starts == CollectiveKind::none) return {};
    const Value* group = argument(node, static_cast<std::size_t>(info.group_argument));
    if (!group) group = keyword(node, "group_name");
    return group && group->is(ValueKind::string) ? text(group->string) : std::string_view{};
}

NodeId Graph::awaited_start(NodeId wait) const {
    const Value* awaited = argument(wait, 0);
    if (!awaited || !awaited->is(ValueKind::node)) return no_node;
    NodeId start = awaited->node;
    if (op(start) == NodeOp::call_function && target_info(start).is_getitem) {
        const Value* source = argument(start, 0);
        if (!source || !source->is(ValueKind::node)) return no_node;
        start = source->node;
    }
    return target_info(start).starts == CollectiveKind::none ? no_node : start;
}

void collect_inputs(const std::vector<NodeRecord>& records, const std::vector<Value>& values,
                    std::vector<std::uint32_t>& offsets, std::vector<NodeId>& inputs) {
    offsets.assign(1, 0);
    offsets.reserve(records.size() + 1);
    inputs.clear();
    inputs.reserve(records.size() * 2);
    std::vector<NodeId> last_user(records.size(), no_node);  // marks what this node has already mentioned
    for (NodeId node = 0; node < records.size(); ++node) {
        const auto add = [&](NodeId input) {
            if (last_user[input] == node) return;
            last_user[input] = node;
            inputs.push_back(input);
        };
        for_each_node(values, records[node].args, add);
        for_each_node(values, records[node].kwargs, add);
        offsets.push_back(static_cast<std::uint32_t>(inputs.size()));
    }
}

void collect_users(const std::vector<std::uint32_t>& input_offsets, const std::vector<NodeId>& inputs,
                   std::vector<std::uint32_t>& offsets, std::vector<NodeId>& users) {
    const std::size_t count = input_offsets.size() - 1;
    offsets.assign(count + 1, 0);
    for (const NodeId input : inputs) ++offsets[input + 1];
    for (std::size_t node = 0; node < count; ++node) offsets[node + 1] += offsets[node];
    users.resize(inputs.size());
    std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (NodeId node = 0; node < count; ++node) {
        for (std::uint32_t edge = input_offsets[node]; edge < input_offsets[node + 1]; ++edge) {
            users[next[inputs[edge]]++] = node;
        }
    }
}

}  // namespace overlap
