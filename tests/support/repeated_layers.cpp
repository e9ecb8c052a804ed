#include "tests/support/repeated_layers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/graph/graph_builder.h"
#include "tests/support/layer_nodes.h"

namespace overlap::test {

namespace {

using Json = nlohmann::ordered_json;

/// A node of the original in one repetition; nodes outside the layers have repetition 0 only.
struct Occurrence {
    NodeId node = no_node;
    std::uint32_t repetition = 0;
};

class LayerRepeater {
  public:
    LayerRepeater(const Graph& graph, std::uint32_t times)
        : graph_(graph), layers_(graph), times_(times), made_(std::size_t{times} * graph.node_count(), no_node) {
        for (NodeId node = 0; node < graph.node_count(); ++node) names_.insert(std::string(graph.name(node)));
        find_boundary();
        find_storages();
    }

    std::shared_ptr<const Graph> run() {
        for (const Occurrence& occurrence : order()) add(occurrence);
        return std::make_shared<const Graph>(builder_.finish(header()));
    }

  private:
    bool is_backward(NodeId node) const { return graph_.metadata(node).autograd_backward.value_or(false); }
    /// Rematerialisation repeats nodes of the forward pass in the backward pass.
    bool is_recomputed(NodeId node) const { return graph_.name(node).find("_recomputed") != std::string_view::npos; }

    std::optional<std::vector<std::int64_t>> shape_of(NodeId node) const {
        const std::span<const TensorMeta> outputs = graph_.outputs(node);
        if (outputs.size() != 1 || !outputs[0].is_tensor) return std::nullopt;
        const std::span<const std::int64_t> shape = graph_.shape(outputs[0]);
        return std::vector<std::int64_t>(shape.begin(), shape.end());
    }

    /// Values that enter the layers from outside, and the values that leave them which have the same shape: the
    /// hidden state and its gradient.
    void find_boundary() {
        std::vector<NodeId> entering, leaving;
        const auto add_once = [](std::vector<NodeId>& nodes, NodeId node) {
            if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
        };
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (graph_.op(node) == NodeOp::output) continue;
            for (const NodeId input : graph_.inputs(node)) {
                if (layers_.is_in_layer(node) == layers_.is_in_layer(input)) continue;
                if (layers_.is_in_layer(input)) {
                    if (!is_recomputed(input)) add_once(leaving, input);
                } else if (graph_.op(input) == NodeOp::call_function) {
                    add_once(entering, input);
                }
            }
        }
        for (const NodeId value : entering) {
            const auto fits = [&](NodeId left) {
                return is_backward(left) == is_backward(value) && shape_of(left) && shape_of(left) == shape_of(value);
            };
            // Several values may fit: the last one has gone through all layers.
            const auto found = std::find_if(leaving.rbegin(), leaving.rend(), fits);
            if (found != leaving.rend()) continued_from_.emplace(value, *found);
        }
    }

    /// Storages that nodes of the layers bring along; each repetition has its own.
    void find_storages() {
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            for (const TensorMeta& tensor : graph_.outputs(node)) {
                if (!tensor.is_tensor) continue;
                storage_is_repeated_.emplace(tensor.storage, layers_.is_in_layer(node));
                storage_count_ = std::max(storage_count_, tensor.storage + 1);
            }
        }
    }

    /// What stands for `input` where `user` consumes it.
    Occurrence source(NodeId input, const Occurrence& user) const {
        if (!layers_.is_in_layer(user.node)) {
            if (!layers_.is_in_layer(input)) return {input, 0};
            // The head follows the last repetition; the gradient of the embeddings comes from the first.
            return {input, is_backward(input) && !is_recomputed(input) ? 0 : times_ - 1};
        }
        if (layers_.is_in_layer(input)) return {input, user.repetition};
        const auto continued = continued_from_.find(input);
        if (continued == continued_from_.end()) return {input, 0};
        if (is_backward(input)) {
            if (user.repetition + 1 < times_) return {continued->second, user.repetition + 1};
        } else if (user.repetition > 0) {
            return {continued->second, user.repetition - 1};
        }
        return {input, 0};
    }

    std::size_t index(const Occurrence& occurrence) const {
        return std::size_t{occurrence.repetition} * graph_.node_count() + occurrence.node;
    }

    /// Where an occurrence is wanted: stage of the step, repetition in the order of that stage, place in the original.
    using Place = std::array<std::uint32_t, 3>;

    enum Stage : std::uint32_t {
        inputs,
        before_layers,
        forward_layers,
        between_passes,
        backward_layers,
        after_layers,
        result
    };

    Place place(const Occurrence& occurrence) const {
        const NodeId node = occurrence.node;
        if (graph_.op(node) == NodeOp::placeholder) return {inputs, occurrence.repetition, node};
        if (graph_.op(node) == NodeOp::output) return {result, 0, node};
        if (layers_.is_in_layer(node)) {
            if (!is_backward(node)) return {forward_layers, occurrence.repetition, node};
            return {backward_layers, times_ - 1 - occurrence.repetition, node};
        }
        if (!is_backward(node)) return {node < first_in_layers_ ? before_layers : between_passes, 0, node};
        return {node < first_gradient_ ? between_passes : after_layers, 0, node};
    }

    /// Every occurrence behind what it consumes, and otherwise by place.
    std::vector<Occurrence> order() {
        first_in_layers_ = first_gradient_ = graph_.node_count();
        std::vector<Occurrence> all;
        for (NodeId node = graph_.node_count(); node-- > 0;) {
            const bool repeated = layers_.is_in_layer(node);
            for (std::uint32_t repetition = 0; repetition < (repeated ? times_ : 1); ++repetition) {
                all.push_back({node, repetition});
            }
            if (!repeated || graph_.op(node) != NodeOp::call_function) continue;
            first_in_layers_ = node;
            if (is_backward(node) && !is_recomputed(node)) first_gradient_ = node;
        }

        std::vector<std::uint32_t> missing(made_.size());
        std::vector<std::vector<Occurrence>> users(made_.size());
        using Waiting = std::pair<Place, Occurrence>;
        const auto is_later = [](const Waiting& left, const Waiting& right) { return left.first > right.first; };
        std::priority_queue<Waiting, std::vector<Waiting>, decltype(is_later)> ready(is_later);
        for (const Occurrence& occurrence : all) {
            for (const Occurrence& input : sources(occurrence)) {
                users[index(input)].push_back(occurrence);
                ++missing[index(occurrence)];
            }
            if (missing[index(occurrence)] == 0) ready.emplace(place(occurrence), occurrence);
        }
        std::vector<Occurrence> sorted;
        sorted.reserve(all.size());
        while (!ready.empty()) {
            const Occurrence occurrence = ready.top().second;
            ready.pop();
            sorted.push_back(occurrence);
            for (const Occurrence& user : users[index(occurrence)]) {
                if (--missing[index(user)] == 0) ready.emplace(place(user), user);
            }
        }
        if (sorted.size() != all.size()) throw std::invalid_argument("the repeated layers depend on themselves");
        return sorted;
    }

    std::vector<Occurrence> sources(const Occurrence& user) const {
        std::vector<Occurrence> found;
        for (const NodeId input : graph_.inputs(user.node)) found.push_back(source(input, user));
        if (graph_.op(user.node) != NodeOp::output) return found;
        for (const NodeId input : graph_.inputs(user.node)) {
            for (std::uint32_t repetition = 0; layers_.is_in_layer(input) && repetition < times_; ++repetition) {
                found.push_back({input, repetition});
            }
        }
        return found;
    }

    void add(const Occurrence& occurrence) {
        const NodeRecord& original = graph_.record(occurrence.node);
        const std::string name = name_of(occurrence);
        NodeRecord record = original;
        record.name = builder_.intern(name);
        record.target = builder_.target(original.op == NodeOp::placeholder ? std::string_view(name)
                                                                           : graph_.target(occurrence.node));
        record.args = original.op == NodeOp::output ? all_results(occurrence) : value(original.args, occurrence);
        record.kwargs = value(original.kwargs, occurrence);
        std::vector<TensorMeta> outputs;
        for (const TensorMeta& tensor : graph_.outputs(occurrence.node)) {
            outputs.push_back(tensor_of(tensor, occurrence.repetition));
        }
        made_[index(occurrence)] = builder_.add(record, metadata(occurrence), outputs);
        made_names_.push_back(name);
    }

    /// The next free number behind the name's base, as torch.fx counts.
    std::string name_of(const Occurrence& occurrence) {
        std::string name(graph_.name(occurrence.node));
        if (occurrence.repetition == 0) return name;
        const std::string base(split_name(name).base);
        std::int64_t& number = last_number_[base];
        do {
            name = base + '_' + std::to_string(++number);
        } while (!names_.insert(name).second);
        return name;
    }

    std::string path_of(std::string_view path, std::uint32_t repetition) const {
        const LayerPath split = split_path(path);
        if (split.layer == no_layer || repetition == 0) return std::string(path);
        const std::int64_t layer = split.layer + std::int64_t{repetition} * layers_.layer_count();
        return std::string(layers_prefix) + std::to_string(layer) + std::string(split.rest);
    }

    NodeMetadata metadata(const Occurrence& occurrence) {
        NodeMetadata copy = graph_.metadata(occurrence.node);
        const std::string path = path_of(graph_.text(copy.module_fqn), occurrence.repetition);
        std::string custom(graph_.text(copy.custom_json));
        if (occurrence.repetition > 0 && copy.module_fqn != empty_string) {
            Json json = Json::parse(custom);
            json["module_fqn"] = path;
            custom = json.dump();
        }
        copy.custom_json = builder_.intern(custom);
        copy.module_fqn = builder_.intern(path);
        copy.partitioner_tag = builder_.intern(graph_.text(copy.partitioner_tag));
        copy.extra_json = builder_.intern(graph_.text(copy.extra_json));
        return copy;
    }

    TensorMeta tensor_of(const TensorMeta& original, std::uint32_t repetition) {
        TensorMeta copy = original;
        if (!original.is_tensor) return copy;
        copy.first_dimension = builder_.dimensions(graph_.shape(original), graph_.stride(original));
        copy.device = builder_.intern(graph_.text(original.device));
        copy.extra_json = builder_.intern(graph_.text(original.extra_json));
        if (storage_is_repeated_.at(original.storage)) copy.storage += repetition * storage_count_;
        return copy;
    }

    Value value(const Value& original, const Occurrence& user) {
        if (original.is(ValueKind::node)) return Value::of_node(made_[index(source(original.node, user))]);
        if (!original.has_children()) return is_text(original.kind) ? text_value(original) : original;
        std::vector<Value> items;
        for (const Value& child : graph_.children(original)) items.push_back(value(child, user));
        return builder_.with_children(original.kind, items);
    }

    static bool is_text(ValueKind kind) {
        return kind == ValueKind::string || kind == ValueKind::dtype || kind == ValueKind::device ||
               kind == ValueKind::layout || kind == ValueKind::memory_format || kind == ValueKind::special_float ||
               kind == ValueKind::raw_json;
    }
    Value text_value(const Value& original) { return builder_.string(graph_.text(original.string), original.kind); }

    /// What the step returns: results of the first repetition in their places, those of the others behind.
    Value all_results(const Occurrence& output) {
        const Value* original = graph_.argument(output.node, 0);
        if (!original) throw std::invalid_argument("the graph returns nothing");
        const std::span<const Value> given =
            original->has_children() ? graph_.children(*original) : std::span(original, 1);
        std::vector<Value> returned;
        for (std::uint32_t repetition = 0; repetition < times_; ++repetition) {
            for (const Value& item : given) {
                if (item.is(ValueKind::node) && layers_.is_in_layer(item.node)) {
                    returned.push_back(Value::of_node(made_[index({item.node, repetition})]));
                } else if (repetition == 0) {
                    returned.push_back(value(item, output));
                }
            }
        }
        const Value list = builder_.list(returned);
        return builder_.list(std::span(&list, 1));
    }

    GraphHeader header() const {
        GraphHeader header = graph_.header();
        header.name += ".times-" + std::to_string(times_);
        Json extra = Json::parse(header.extra_json, nullptr, false);
        if (!extra.is_object() || !extra.contains("placeholder_fqns")) return header;
        const Json given = extra["placeholder_fqns"];
        Json& parameters = extra["placeholder_fqns"];
        for (const auto& [name, path] : given.items()) {
            const NodeId node = graph_.find(name);
            if (node == no_node || !layers_.is_in_layer(node) || !path.is_string()) continue;
            for (std::uint32_t repetition = 1; repetition < times_; ++repetition) {
                const std::string& copy = made_names_[made_[index({node, repetition})]];
                parameters[copy] = path_of(path.get<std::string>(), repetition);
            }
        }
        header.extra_json = extra.dump();
        return header;
    }

    const Graph& graph_;
    const LayerNodes layers_;
    const std::uint32_t times_;
    std::unordered_map<NodeId, NodeId>
        continued_from_;  ///< by a value that enters the layers: the one that leaves them
    std::unordered_map<std::uint32_t, bool> storage_is_repeated_;
    std::uint32_t storage_count_ = 0;
    NodeId first_in_layers_ = 0, first_gradient_ = 0;
    GraphBuilder builder_;
    std::vector<NodeId> made_;             ///< by index() of an occurrence: its number in the result
    std::vector<std::string> made_names_;  ///< by number in the result
    std::unordered_set<std::string> names_;
    std::unordered_map<std::string, std::int64_t> last_number_;
};

}  // namespace

std::shared_ptr<const Graph> repeat_layers(const Graph& graph, std::uint32_t times) {
    if (times < 1) throw std::invalid_argument("layers can be repeated once or more often");
    return LayerRepeater(graph, times).run();
}

std::uint32_t repetitions_for(const Graph& graph, std::uint32_t node_count) {
    const LayerNodes layers(graph);
    std::uint32_t repeated = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) repeated += layers.is_in_layer(node);
    const std::uint32_t outside = graph.node_count() - repeated;
    return node_count <= graph.node_count() ? 1 : (node_count - outside + repeated - 1) / repeated;
}

}  // namespace overlap::test
