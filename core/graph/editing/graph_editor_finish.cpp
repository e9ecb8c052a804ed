// How an edited graph becomes a Graph: order, users and tensors are checked and written down.

#include <algorithm>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/base/quote.h"
#include "core/graph/editing/graph_editor.h"
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

std::span<const TensorMeta> GraphEditor::new_tensors() const {
    const std::size_t known = source_->tensors_.size();
    return tensors_.slice(known, tensors_.size() - known);
}

/// No less than the tensors of all nodes count towards total_bytes_limit.
std::int64_t GraphEditor::most_bytes() const {
    std::int64_t bytes = source_->most_bytes_;
    for (const TensorMeta& tensor : new_tensors()) {
        if (tensor.is_tensor && bytes <= total_bytes_limit) bytes += counted_bytes(tensor, shape(tensor));
    }
    return bytes;
}

/// @returns what the tensors count at most towards total_bytes_limit.
std::int64_t GraphEditor::check_tensors(std::span<const NodeId> nodes) const {
    const std::int64_t most = most_bytes();
    if (number_count() == source_count()) return most;
    const auto reaches_too_far = [&](const TensorMeta& tensor) {
        return tensor.is_tensor && !memory_reach(shape(tensor), stride(tensor));
    };
    // Many tensors have one layout.
    std::vector<bool> is_checked(dimensions_.size());
    const auto has_other_layout_too_far = [&](const TensorMeta& tensor) {
        const std::uint32_t layout = tensor.first_dimension;
        if (tensor.rank == 0 || is_checked[layout]) return false;
        is_checked[layout] = true;
        return reaches_too_far(tensor);
    };
    if (most <= total_bytes_limit && std::ranges::none_of(new_tensors(), has_other_layout_too_far)) return most;
    // Perhaps only of nodes that were erased, or of tensors that were there before others.
    std::int64_t total = 0;
    for (const NodeId node : nodes) {
        const bool are_new = tensors_.is_new(records_[node].first_output);
        for (const TensorMeta& tensor : outputs(node)) {
            if (!tensor.is_tensor) continue;
            const auto place = [&] { return "node " + in_quotes(name(node)); };
            total += counted_bytes(tensor, shape(tensor));
            if (total > total_bytes_limit) {
                throw InputError(place(), "the tensors up to here would have more than " +
                                              grouped_count(total_bytes_limit) + " bytes");
            }
            // Layouts that were read have been checked then.
            if (are_new && reaches_too_far(tensor)) {
                throw InputError(place(), "with its strides the tensor would reach further than 2^56 elements");
            }
        }
    }
    return total;
}

void GraphEditor::place_inputs(Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> position) const {
    std::vector<std::uint32_t> offsets(nodes.size() + 1);
    for (std::size_t place = 0; place < nodes.size(); ++place) {
        offsets[place + 1] = offsets[place] + edge_count_[nodes[place]];
    }
    std::vector<NodeId> placed(offsets.back());
    NodeId* out = placed.data();
    for (std::size_t place = 0; place < nodes.size();) {
        // Inputs of nodes that follow one another mostly do so, too.
        const std::uint32_t first = first_edge_[nodes[place]];
        std::uint32_t end = first;
        do {
            end += edge_count_[nodes[place++]];
        } while (place < nodes.size() && first_edge_[nodes[place]] == end);
        for (std::uint32_t edge = first; edge < end; ++edge) *out++ = position[edge_input_[edge]];
    }
    graph.input_offsets_ = SharedArray(std::move(offsets));
    graph.inputs_ = SharedArray(std::move(placed));
}

/// @pre place_inputs().
void GraphEditor::place_users(Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> position) const {
    std::vector<std::uint32_t> offsets(nodes.size() + 1);
    std::vector<NodeId> placed(graph.inputs_.size() + 1);  // with room for what is written and does not count
    for (std::size_t place = 0; place < nodes.size(); ++place) {
        offsets[place + 1] = offsets[place] + user_count(nodes[place]);
    }
    std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
    const auto add_to_inputs = [&](NodeId user) {
        for (const NodeId input : graph.inputs(user)) placed[next[input]++] = user;
    };
    if (users_in_order_) {
        for (NodeId place = 0; place < nodes.size(); ++place) add_to_inputs(place);
    } else {
        // Those that never registered again have the inputs that they had, and come first.
        std::vector<NodeId> as_before(position.begin(), position.begin() + source_count());
        for (NodeId node = 0; node < source_count(); ++node) {
            if (registered_[node] != 0) as_before[node] = no_node;
        }
        for (NodeId place = 0; place < nodes.size(); ++place) {
            if (is_new(nodes[place])) continue;
            std::uint32_t& end = next[place];
            for (const NodeId user : source_->users(nodes[place])) {
                // What does not count is written over by what comes next.
                placed[end] = as_before[user];
                end += as_before[user] != no_node ? 1u : 0u;
            }
        }
        std::vector<NodeId> by_time(clock_ + std::size_t{1}, no_node);
        for (NodeId place = 0; place < nodes.size(); ++place) by_time[registered_[nodes[place]]] = place;
        for (const NodeId user : std::span(by_time).subspan(1)) {
            if (user != no_node) add_to_inputs(user);
        }
    }
    placed.pop_back();
    graph.user_offsets_ = SharedArray(std::move(offsets));
    graph.users_ = SharedArray(std::move(placed));
}

/// The arguments stay where they are in the arena. What no node has any more is little and goes along, but may mention
/// nodes that are no more.
SharedArena<Value> GraphEditor::placed_values(std::span<const NodeId> position) const {
    std::vector<NodeId> replaced_position;
    if (replaced_) {
        replaced_position.assign(position.begin(), position.end());
        for (NodeId node = 0; node < replacement_.size(); ++node) {
            if (replacement_[node] != no_node) replaced_position[node] = position[current(node)];
        }
        position = replaced_position;
    }
    std::vector<Value> placed;
    placed.reserve(values_.size());
    const std::size_t base = source_->values_.base().size();
    constexpr std::size_t block = 2048;  // few enough to be in the cache still when nodes among them are placed
    for (std::span<const Value> part : {values_.slice(0, base), values_.slice(base, values_.size() - base)}) {
        while (!part.empty()) {
            const std::size_t count = std::min(block, part.size());
            placed.insert(placed.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count));
            for (Value& value : std::span(placed).last(count)) {
                if (!value.is(ValueKind::node)) continue;
                value.node = position[value.node];
                if (value.node == no_node) value = Value::of_none();
            }
            part = part.subspan(count);
        }
    }
    return SharedArena(std::move(placed));
}

SharedArray<NodeId> GraphEditor::places_by_name(std::span<const NodeId> nodes) const {
    std::vector<NodeId> places(strings_->size(), no_node);
    for (NodeId place = 0; place < nodes.size(); ++place) places[records_[nodes[place]].name] = place;
    return SharedArray(std::move(places));
}

std::shared_ptr<const Graph> GraphEditor::with_extra_json(const Graph& graph, std::shared_ptr<const StringPool> strings,
                                                          std::vector<StringId> extra_json) {
    auto copy = std::make_shared<Graph>(graph);
    copy->extra_json_ = SharedArray(std::move(extra_json));
    copy->strings_ = std::move(strings);
    copy->extra_mentions_ = std::make_shared<TextMentions>(copy->extra_json_, copy->strings_);
    return copy;
}

Graph GraphEditor::with_outputs(const Graph& graph, std::span<const GivenTensor> tensors) {
    std::vector<NodeRecord> records(graph.records_.begin(), graph.records_.end());
    DraftArena<TensorMeta> all(graph.tensors_);
    DraftArena<std::int64_t> dimensions(graph.dimensions_);
    for (const GivenTensor& given : tensors) {
        TensorMeta tensor;
        tensor.is_tensor = true;
        tensor.dtype = given.dtype;
        tensor.rank = static_cast<std::uint8_t>(given.sizes.size());
        tensor.first_dimension = static_cast<std::uint32_t>(dimensions.add(given.sizes));
        dimensions.add(given.strides);
        tensor.device = given.device;
        tensor.storage = given.storage;
        tensor.storage_bytes = given.storage_bytes;
        const std::size_t place = all.add({&tensor, 1});
        NodeRecord& record = records[given.node];
        if (record.output_count++ == 0) record.first_output = static_cast<std::uint32_t>(place);
    }
    Graph copy = graph;
    copy.records_ = SharedArray(std::move(records));
    copy.tensors_ = std::move(all).finish();
    copy.dimensions_ = std::move(dimensions).finish();
    return copy;
}

std::shared_ptr<const Graph> GraphEditor::finish(std::vector<NodeId>& origin) {
    auto graph = std::make_shared<Graph>();
    const std::vector<NodeId> nodes = order();
    graph->most_bytes_ = check_tensors(nodes);
    std::vector<NodeId> position(number_count(), no_node);
    bool stay = nodes.size() == number_count() && number_count() == source_count();  // nodes where the source has them
    for (NodeId place = 0; place < nodes.size(); ++place) {
        position[nodes[place]] = place;
        stay &= nodes[place] == place;
    }
    origin.resize(nodes.size());
    for (NodeId place = 0; place < nodes.size(); ++place) origin[place] = is_new(nodes[place]) ? no_node : nodes[place];

    graph->header_ = header_;
    graph->module_stacks_ = module_stacks_;
    const bool same_edges = stay && !edges_changed_;
    if (same_edges) {
        graph->input_offsets_ = source_->input_offsets_;
        graph->inputs_ = source_->inputs_;
    } else {
        place_inputs(*graph, nodes, position);
    }
    const bool registered_again = clock_ > 0;
    if (same_edges && !registered_again && !users_in_order_) {
        graph->user_offsets_ = source_->user_offsets_;
        graph->users_ = source_->users_;
    } else {
        place_users(*graph, nodes, position);
    }
    // Whoever names a node anew, where all stay, remembers its former name.
    graph->by_name_ = stay && !naming_ ? source_->by_name_ : places_by_name(nodes);
    graph->records_ = records_.finish(nodes, stay);
    graph->metadata_of_ = metadata_of_.finish(nodes, stay);
    graph->custom_json_ = custom_json_.finish(nodes, stay);
    graph->extra_json_ = extra_json_.finish(nodes, stay);
    graph->metadata_ = std::move(metadata_).finish();
    graph->values_ = stay && !replaced_ ? std::move(values_).finish() : placed_values(position);
    graph->next_storage_ = source_->next_storage_;
    for (const TensorMeta& tensor : new_tensors()) {
        if (tensor.is_tensor) graph->next_storage_ = std::max(graph->next_storage_, tensor.storage + 1);
    }
    graph->tensors_ = std::move(tensors_).finish();
    graph->dimensions_ = std::move(dimensions_).finish();
    graph->target_names_ = target_names_.finish();
    graph->target_infos_ = target_infos_.finish();
    graph->target_by_name_ =
        target_by_name_.empty() ? source_->target_by_name_ : SharedArray(std::move(target_by_name_));
    graph->naming_ = naming_ ? naming_ : source_->naming_;
    if (strings_->adds_nothing()) {
        graph->strings_ = source_->strings_;
    } else {
        graph->strings_ = strings_;
    }
    // What nodes no longer have may still be said to be mentioned.
    const auto mentions = [&](const DraftArray<StringId, 9>& draft, const SharedArray<StringId>& texts,
                              const std::shared_ptr<const TextMentions>& before) {
        return draft.changed() ? std::make_shared<const TextMentions>(texts, graph->strings_) : before;
    };
    graph->custom_mentions_ = mentions(custom_json_, graph->custom_json_, source_->custom_mentions_);
    graph->extra_mentions_ = mentions(extra_json_, graph->extra_json_, source_->extra_mentions_);
    return graph;
}

}  // namespace overlap
