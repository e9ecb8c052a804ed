#include "core/imports/operators/tensor_typing.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/wording.h"
#include "core/files/json_writer.h"
#include "core/imports/operators/shape_rules.h"

namespace overlap {
namespace {

class TensorTyping {
  public:
    TensorTyping(UntypedGraph& graph, const ImportOptions& options, TypingReport& report)
        : graph_(graph), options_(options), report_(report), types_(graph.nodes.size()) {}

    void run() {
        for (std::size_t node = 0; node < graph_.nodes.size(); ++node) type_node(node);
        collect_tuples();
        for (std::size_t node = 0; node < graph_.nodes.size(); ++node) add_node(node);
    }

  private:
    using OptionalTensor = std::optional<KnownTensor>;

    void type_node(std::size_t index) {
        UntypedNode& node = graph_.nodes[index];
        NodeType& type = types_[index];
        const std::string_view name = graph_.builder.text(node.record.name);
        if (const auto told = options_.tensors.find(name); told != options_.tensors.end()) node.declared = told->second;
        std::string reason;
        first_new_storage_ = next_storage_;
        if (node.record.op == NodeOp::call_function) {
            reason = graph_.builder.target_info(node.record.target).is_getitem ? item_of_tuple(node, type)
                                                                               : by_rule(node, type);
        }
        if (node.value) {
            type.is_known = true;
            type.value = node.value;
        }
        if (type.value) type.is_known = true;
        const bool by_text = apply_declared(node, type);
        count(node, type, by_text, reason);
    }

    /// @return why nothing is known, or nothing.
    std::string by_rule(const UntypedNode& node, NodeType& type) {
        const ShapeRule rule = find_shape_rule(graph_.builder.target_text(node.record.target));
        if (!rule) return "no rule";
        ShapeCall call(graph_.builder, node.record, types_, next_storage_);
        try {
            rule(call);
            type = std::move(call).result();
            return {};
        } catch (const UnknownShape& unknown) {
            return unknown.reason;
        } catch (const InputError& impossible) {
            return impossible.problem();
        }
    }

    std::string item_of_tuple(const UntypedNode& node, NodeType& type) {
        const auto args = graph_.builder.children(node.record.args);
        if (args.size() != 2 || !args[0].is(ValueKind::node) || !args[1].is(ValueKind::integer)) return "no rule";
        const NodeType& tuple = types_[args[0].node];
        if (!tuple.is_known) return "its input is unknown";
        const auto count = static_cast<std::int64_t>(tuple.outputs.size());
        const std::int64_t item = args[1].integer < 0 ? args[1].integer + count : args[1].integer;
        if (!tuple.multi || item < 0 || item >= count) return "its input has no such item";
        type.is_known = true;
        const OptionalTensor& tensor = tuple.outputs[static_cast<std::size_t>(item)];
        if (tensor) type.outputs.push_back(tensor);
        return {};
    }

    /// Takes what the text says over what a rule says, keeping the rule's memory where both describe one tensor.
    /// @return whether the text had the tensor in full.
    bool apply_declared(const UntypedNode& node, NodeType& type) {
        if (!node.declared) return false;
        const DeclaredTensor& declared = *node.declared;
        const bool has_rule = type.is_known && !type.multi && type.outputs.size() == 1 && type.outputs[0];
        KnownTensor tensor = has_rule ? *type.outputs[0] : KnownTensor{};
        const bool fits = has_rule && tensor.shape == declared.shape && tensor.dtype == declared.dtype;
        if (has_rule && !fits) disagree(node);
        tensor.dtype = declared.dtype;
        tensor.shape = declared.shape;
        if (declared.stride) {
            if (fits && tensor.stride != *declared.stride && !same_elements(tensor, *declared.stride)) disagree(node);
            tensor.stride = *declared.stride;
        } else if (!fits) {
            tensor.stride = contiguous_strides(tensor.shape);
            assume(node, "no strides are given and none follow: taken as contiguous");
        }
        if (!declared.device.empty()) {
            tensor.device = graph_.builder.intern(declared.device);
        } else if (!has_rule) {
            tensor.device = graph_.builder.intern(options_.device);
            assume(node, std::string("no device is given: taken as ").append(options_.device));
        }
        if (!has_rule) {
            tensor.storage = storage_of(declared);
            tensor.offset = declared.storage_offset;
        }
        const std::int64_t bytes =
            dense_bytes(tensor.dtype, tensor.shape, tensor.stride) + tensor.offset * dtype_info(tensor.dtype).bytes;
        const bool is_new = !has_rule || tensor.storage >= first_new_storage_;
        if (is_new) tensor.storage_bytes = declared.storage_bytes >= 0 ? declared.storage_bytes : bytes;
        type = {};
        type.is_known = true;
        type.outputs.emplace_back(std::move(tensor));
        return declared.stride.has_value();
    }

    /// Strides of dimensions of size 1 mean nothing.
    static bool same_elements(const KnownTensor& tensor, const Sizes& stride) {
        for (std::size_t dimension = 0; dimension < tensor.rank(); ++dimension) {
            if (tensor.shape[dimension] > 1 && tensor.stride[dimension] != stride[dimension]) return false;
        }
        return true;
    }

    std::uint32_t storage_of(const DeclaredTensor& declared) {
        if (declared.storage < 0) return next_storage_++;
        const auto [entry, added] = declared_storages_.emplace(declared.storage, next_storage_);
        if (added) ++next_storage_;
        return entry->second;
    }

    void disagree(const UntypedNode& node) {
        std::string what = "the text states another shape than ";
        what += graph_.builder.target_text(node.record.target);
        what += " gives for its inputs; the text's shape is taken";
        assume(node, what);
    }

    void assume(const UntypedNode& node, const std::string& what) {
        std::string place = "node ";
        place += graph_.builder.text(node.record.name);
        graph_.notes.add(what, place);
    }

    void count(const UntypedNode& node, const NodeType& type, bool by_text, const std::string& reason) {
        const bool is_input = node.record.op == NodeOp::placeholder || node.record.op == NodeOp::get_attr;
        if (by_text) {
            ++report_.declared;
        } else if (type.is_known && !type.outputs.empty() && type.outputs[0]) {
            ++report_.propagated;
        } else if (type.is_known || node.record.op == NodeOp::output || !node.symbol.empty()) {
            ++report_.without_tensor;
        } else if (is_input) {
            ++report_.unknown;
            report_.unknown_inputs.emplace_back(graph_.builder.text(node.record.name));
        } else {
            ++report_.unknown;
            std::string operation(graph_.builder.target_text(node.record.target));
            operation += ": ";
            operation += reason.empty() ? "no rule" : reason;
            ++report_.unknown_operators[operation];
        }
    }

    /// Tuples whose operator has no rule: the text has the types of their items.
    void collect_tuples() {
        for (std::size_t index = 0; index < graph_.nodes.size(); ++index) {
            const UntypedNode& node = graph_.nodes[index];
            if (node.record.op != NodeOp::call_function || !types_[index].is_known ||
                types_[index].outputs.size() != 1 || !graph_.builder.target_info(node.record.target).is_getitem) {
                continue;
            }
            const auto args = graph_.builder.children(node.record.args);
            if (args.size() != 2 || !args[0].is(ValueKind::node) || !args[1].is(ValueKind::integer)) continue;
            NodeType& tuple = types_[args[0].node];
            constexpr std::int64_t most_items = 1 << 16;
            if ((tuple.is_known && !from_items_.contains(args[0].node)) || args[1].integer < 0 ||
                args[1].integer >= most_items) {
                continue;
            }
            from_items_.insert(args[0].node);
            tuple.is_known = true;
            tuple.multi = true;
            const auto item = static_cast<std::size_t>(args[1].integer);
            if (tuple.outputs.size() <= item) tuple.outputs.resize(item + 1);
            tuple.outputs[item] = types_[index].outputs[0];
        }
        if (!from_items_.empty()) {
            for (const NodeId node : from_items_) {
                --report_.unknown;
                ++report_.propagated;
                forget_unknown(node);
            }
        }
    }

    void forget_unknown(NodeId node) {
        std::string prefix(graph_.builder.target_text(graph_.nodes[node].record.target));
        prefix += ": ";
        const auto entry = report_.unknown_operators.lower_bound(prefix);
        if (entry == report_.unknown_operators.end() || !entry->first.starts_with(prefix)) return;
        if (--entry->second == 0) report_.unknown_operators.erase(entry);
    }

    void add_node(std::size_t index) {
        UntypedNode& node = graph_.nodes[index];
        const NodeType& type = types_[index];
        std::vector<TensorMeta> outputs;
        bool any = false;
        for (const OptionalTensor& tensor : type.outputs) {
            outputs.push_back(tensor ? meta_of(*tensor) : TensorMeta{});
            any = any || tensor.has_value();
        }
        if (!any) outputs.clear();
        node.record.has_outputs = any;
        node.record.multi = type.multi;
        if (node.declared && !node.declared->symbolic_shape.empty()) keep_symbols(node);
        if (!node.symbol.empty()) keep_value(node);
        graph_.builder.add(node.record, node.metadata, outputs);
    }

    TensorMeta meta_of(const KnownTensor& tensor) {
        TensorMeta meta;
        meta.is_tensor = true;
        meta.dtype = tensor.dtype;
        meta.rank = static_cast<std::uint8_t>(tensor.rank());
        meta.first_dimension = graph_.builder.dimensions(tensor.shape, tensor.stride);
        meta.device = tensor.device;
        meta.storage = tensor.storage;
        meta.storage_offset = tensor.offset;
        meta.storage_bytes = tensor.storage_bytes;
        return meta;
    }

    /// Adds a member to the JSON object of fields that no code here reads.
    void add_extra(UntypedNode& node, std::string_view key, std::string_view value_json) {
        JsonWriter json;
        json.begin_object().members(graph_.builder.text(node.metadata.extra_json)).key(key).json(value_json);
        node.metadata.extra_json = graph_.builder.intern(json.end_object().text());
    }

    // The sizes as the compiler knows them, in the form in which exported graphs have them.
    void keep_symbols(UntypedNode& node) {
        JsonWriter json;
        json.begin_array().begin_array();
        for (const std::string& size : node.declared->symbolic_shape) {
            std::int64_t number = 0;
            const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), number);
            // As it is written, or it stays a text: `01` is a number neither in Python nor in JSON.
            if (error == std::errc{} && end == size.data() + size.size() && std::to_string(number) == size)
                json.value(number);
            else
                json.value(size);
        }
        add_extra(node, "symbolic_shapes", json.end_array().end_array().text());
    }

    void keep_value(UntypedNode& node) {
        JsonWriter json;
        json.begin_object().member("symbol", node.symbol);
        if (node.value) json.member("hint", *node.value);
        add_extra(node, "symbolic_value", json.end_object().text());
    }

    UntypedGraph& graph_;
    const ImportOptions& options_;
    TypingReport& report_;
    std::vector<NodeType> types_;
    std::uint32_t next_storage_ = 0;
    std::uint32_t first_new_storage_ = 0;  ///< those below were there before the node that is being typed
    std::unordered_map<int, std::uint32_t> declared_storages_;
    std::set<NodeId> from_items_;
};

}  // namespace

std::vector<ImportNote> unknown_notes(const TypingReport& report, std::string_view how) {
    std::vector<ImportNote> notes;
    const std::vector<std::string>& inputs = report.unknown_inputs;
    if (!inputs.empty()) {
        std::string text = "the tensors of ";
        text.append(counted(inputs.size(), "input")).append(" are not known; ").append(how).append(" gives them: ");
        constexpr std::size_t most = 20;
        for (std::size_t index = 0; index < std::min(most, inputs.size()); ++index) {
            text.append(index > 0 ? ", " : "").append(inputs[index]);
        }
        if (inputs.size() > most) text.append(" and ").append(std::to_string(inputs.size() - most)).append(" more");
        notes.push_back({std::move(text), ImportNoteKind::untold});
    }
    for (const auto& [operation, count] : report.unknown_operators) {
        std::string text = "unknown: ";
        text.append(operation).append(" (").append(std::to_string(count)).append(count == 1 ? " node)" : " nodes)");
        notes.push_back({std::move(text)});
    }
    return notes;
}

Graph add_tensor_types(UntypedGraph&& graph, const ImportOptions& options, TypingReport& report) {
    TensorTyping(graph, options, report).run();
    return graph.builder.finish(std::move(graph.header));
}

}  // namespace overlap
