// How an edited graph becomes a Graph: order, users and tensors are checked and written down.

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/graph/graph_editor.h"
#include "core/graph/strides.h"
#include "core/graph/tensor_bytes.h"

namespace overlap {

bool GraphEditor::is_topological() const {
    for (NodeId node = first_; node != no_node; node = next_[node]) {
        for (const NodeId input : inputs(node)) {
            if (!is_before(input, node)) return false;
        }
    }
    return true;
}

void GraphEditor::check_tensors(std::span<const NodeId> nodes) const {
    if (number_count() == source_count()) return;
    std::int64_t total = 0;
    for (const NodeId node : nodes) {
        for (const TensorMeta& tensor : outputs(node)) {
            if (!tensor.is_tensor) continue;
            const auto place = [&] { return "node " + in_quotes(name(node)); };
            total += counted_bytes(tensor, shape(tensor));
            if (total > total_bytes_limit) {
                throw InputError(place(), "the tensors up to here would have more than " +
                                              std::to_string(total_bytes_limit) + " bytes");
            }
            // Layouts that were read have been checked then.
            if ((is_new(node) || tensors_changed_) && !memory_reach(shape(tensor), stride(tensor))) {
                throw InputError(place(), "with its strides the tensor would reach further than 2^56 elements");
            }
        }
    }
}

void GraphEditor::add_users(Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> position) const {
    graph.user_offsets_.assign(nodes.size() + 1, 0);
    for (NodeId place = 0; place < nodes.size(); ++place) {
        graph.user_offsets_[place + 1] = graph.user_offsets_[place] + user_count_[nodes[place]];
    }
    graph.users_.resize(graph.inputs_.size());
    if (users_in_order_) {
        std::vector<std::uint32_t> next(graph.user_offsets_.begin(), graph.user_offsets_.end() - 1);
        for (NodeId place = 0; place < nodes.size(); ++place) {
            for (const NodeId input : graph.inputs(place)) graph.users_[next[input]++] = place;
        }
        return;
    }
    std::vector<NodeId> users;
    auto out = graph.users_.begin();
    for (const NodeId node : nodes) {
        users.clear();
        bool re_registered = false;
        for_each_user(node, [&](NodeId user) {
            users.push_back(user);
            re_registered |= registered_[user] != 0;
        });
        if (re_registered) std::ranges::stable_sort(users, {}, [&](NodeId user) { return registered_[user]; });
        for (const NodeId user : users) *out++ = position[user];
    }
}

std::shared_ptr<const Graph> GraphEditor::with_extra_json(const Graph& graph, std::shared_ptr<const StringPool> strings,
                                                          std::span<const StringId> extra_json) {
    auto copy = std::make_shared<Graph>(graph);
    for (NodeId node = 0; node < graph.node_count(); ++node) copy->metadata_[node].extra_json = extra_json[node];
    copy->by_name_.resize(strings->size(), no_node);
    copy->strings_ = std::move(strings);
    return copy;
}

Graph GraphEditor::with_outputs(const Graph& graph, std::span<const GivenTensor> tensors) {
    Graph copy = graph;
    for (const GivenTensor& given : tensors) {
        NodeRecord& record = copy.records_[given.node];
        if (record.output_count++ == 0) record.first_output = static_cast<std::uint32_t>(copy.tensors_.size());
        TensorMeta tensor;
        tensor.is_tensor = true;
        tensor.dtype = given.dtype;
        tensor.rank = static_cast<std::uint8_t>(given.sizes.size());
        tensor.first_dimension = static_cast<std::uint32_t>(copy.dimensions_.size());
        tensor.device = given.device;
        tensor.storage = given.storage;
        tensor.storage_bytes = given.storage_bytes;
        copy.dimensions_.insert(copy.dimensions_.end(), given.sizes.begin(), given.sizes.end());
        copy.dimensions_.insert(copy.dimensions_.end(), given.strides.begin(), given.strides.end());
        copy.tensors_.push_back(tensor);
    }
    return copy;
}

std::shared_ptr<const Graph> GraphEditor::finish(std::vector<NodeId>& origin) {
    auto graph = std::make_shared<Graph>();
    std::vector<NodeId> nodes = order();
    check_tensors(nodes);
    std::vector<NodeId> position(number_count(), no_node);
    for (NodeId place = 0; place < nodes.size(); ++place) position[nodes[place]] = place;

    graph->header_ = header_;
    graph->module_stacks_ = module_stacks_;
    graph->records_.reserve(nodes.size());
    graph->metadata_.reserve(nodes.size());
    graph->input_offsets_.reserve(nodes.size() + 1);
    graph->input_offsets_.push_back(0);
    graph->inputs_.reserve(edge_input_.size());
    origin.resize(nodes.size());
    graph->by_name_.assign(strings_->size(), no_node);
    for (NodeId place = 0; place < nodes.size(); ++place) {
        const NodeId node = nodes[place];
        origin[place] = is_new(node) ? no_node : node;
        graph->by_name_[records_[node].name] = place;
        graph->records_.push_back(records_[node]);
        graph->metadata_.push_back(metadata_[node]);
        for (const NodeId input : inputs(node)) graph->inputs_.push_back(position[input]);
        graph->input_offsets_.push_back(static_cast<std::uint32_t>(graph->inputs_.size()));
    }
    add_users(*graph, nodes, position);
    // Arguments stay where they are in the arena. What no node has any more is little and goes along, but may mention
    // nodes that are no more.
    for (Value& value : values_) {
        if (!value.is(ValueKind::node)) continue;
        const NodeId place = position[current(value.node)];
        value = place == no_node ? Value::of_none() : Value::of_node(place);
    }
    graph->values_ = std::move(values_);
    graph->tensors_ = std::move(tensors_);
    graph->dimensions_ = std::move(dimensions_);
    graph->target_names_ = std::move(target_names_);
    graph->target_infos_ = std::move(target_infos_);
    graph->naming_ = std::make_shared<const NamingState>(std::move(naming_));
    graph->strings_ = std::move(strings_);
    return graph;
}

}  // namespace overlap
