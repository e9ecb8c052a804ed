#include <algorithm>
#include <vector>

#include "core/files/json_document.h"
#include "core/files/json_output.h"
#include "core/files/json_text.h"
#include "core/io/graph_file.h"
#include "core/io/graph_supplements.h"

namespace overlap {

namespace {

constexpr std::string_view offset_field = "storage_offset";

/// One object that is being written: keeps the commas.
class ObjectWriter {
  public:
    explicit ObjectWriter(std::string& text) : text_(text) { text_ += '{'; }

    std::string& key(std::string_view name) {
        if (!first_) text_ += ',';
        first_ = false;
        append_json_string(text_, name);
        text_ += ':';
        return text_;
    }
    void string(std::string_view name, std::string_view value) { append_json_string(key(name), value); }
    void integer(std::string_view name, std::int64_t value) { append_json_integer(key(name), value); }
    void boolean(std::string_view name, bool value) { key(name) += value ? "true" : "false"; }
    void json(std::string_view name, std::string_view value) { key(name) += value; }
    void members(std::string_view object_json) { append_json_members(text_, object_json, first_); }
    /// The same without the members of these names.
    void members_without(std::string_view object_json, std::span<const std::string_view> names) {
        const JsonDocument document{JsonBytes(std::string(object_json))};
        JsonMembers others;
        for (const auto [name, value] : document.root().get_object()) {
            if (std::ranges::find(names, name) == names.end()) others.add(name, value);
        }
        members(others.close());
    }
    void end() { text_ += '}'; }

  private:
    std::string& text_;
    bool first_ = true;
};

template <typename Items, typename Write>
void write_list(std::string& text, const Items& items, Write&& write) {
    text += '[';
    bool first = true;
    for (const auto& item : items) {
        if (!first) text += ',';
        first = false;
        write(item);
    }
    text += ']';
}

class GraphWriter {
  public:
    explicit GraphWriter(const Graph& graph) : graph_(graph) {}

    std::string write() {
        const GraphHeader& header = graph_.header();
        text_.reserve(std::size_t{512} * graph_.node_count() + 4096);
        ObjectWriter document(text_);
        document.string("format", "overlap-graph");
        document.integer("version", 1);
        if (!header.name.empty()) document.string("name", header.name);
        if (!header.producer_json.empty()) document.json("producer", header.producer_json);
        if (header.rank) document.integer("rank", *header.rank);
        if (header.world_size) document.integer("world_size", *header.world_size);
        if (header.has_process_groups || !header.process_groups.empty()) {
            document.key("process_groups");
            write_list(text_, header.process_groups, [&](const ProcessGroup& group) { write_group(group); });
        }
        if (header.cost) document.json("cost_model", header.cost->json);
        document.members(header.extra_json);
        if (std::string naming; append_naming(naming, graph_)) document.json("naming", naming);
        document.key("nodes");
        text_ += '[';
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (node > 0) text_ += ',';
            write_node(node);
        }
        text_ += ']';
        document.end();
        return std::move(text_);
    }

    std::string write_one(NodeId node) {
        write_node(node);
        return std::move(text_);
    }

  private:
    void write_group(const ProcessGroup& group) {
        ObjectWriter object(text_);
        object.string("name", group.name);
        object.key("ranks");
        write_list(text_, group.ranks, [&](int rank) { append_json_integer(text_, rank); });
        object.integer("rank", group.rank);
        object.members(group.extra_json);
        object.end();
    }

    void write_node(NodeId node) {
        const NodeRecord& record = graph_.record(node);
        const NodeMetadata& metadata = graph_.metadata(node);
        ObjectWriter object(text_);
        object.string("name", graph_.name(node));
        object.string("op", node_op_name(record.op));
        object.string("target", graph_.target(node));
        if (!record.args.is(ValueKind::none)) write_value(object.key("args"), record.args);
        if (!record.kwargs.is(ValueKind::none)) write_members(object.key("kwargs"), record.kwargs);
        if (record.has_outputs) {
            object.key("outputs");
            write_list(text_, graph_.outputs(node), [&](const TensorMeta& tensor) { write_tensor(tensor); });
        }
        if (record.multi) object.boolean("multi", true);
        write_module_stack(object, "module_stack", metadata.module_stack);
        write_module_stack(object, "fwd_module_stack", metadata.fwd_module_stack);
        if (metadata.custom_json != empty_string) object.json("custom", graph_.text(metadata.custom_json));
        if (metadata.sequence_number) object.integer("seq_nr", *metadata.sequence_number);
        if (metadata.partitioner_tag != empty_string) {
            object.string("partitioner_tag", graph_.text(metadata.partitioner_tag));
        }
        if (metadata.autograd_backward) object.boolean("autograd_backward", *metadata.autograd_backward);
        if (metadata.estimate_ms) append_json_number(object.key("estimate_ms"), *metadata.estimate_ms);
        write_unknown_fields(object, node);
        const std::span<const NodeId> users = graph_.users(node);
        if (!std::is_sorted(users.begin(), users.end())) {
            object.key("users_order");
            write_list(text_, users, [&](NodeId user) { append_json_string(text_, graph_.name(user)); });
        }
        object.end();
    }

    /// A field that says as much as an absent one, such as an empty stack, was kept as an unknown one. It goes once the
    /// node has been given such a field.
    void write_unknown_fields(ObjectWriter& object, NodeId node) {
        const NodeMetadata& metadata = graph_.metadata(node);
        const std::string_view unknown = graph_.text(metadata.extra_json);
        if (unknown.empty()) return;
        std::vector<std::string_view> given;
        const auto see = [&](std::string_view field, bool is_given) {
            if (is_given && unknown.find(field) != std::string_view::npos) given.push_back(field);
        };
        see("module_stack", metadata.module_stack != 0);
        see("fwd_module_stack", metadata.fwd_module_stack != 0);
        see("partitioner_tag", metadata.partitioner_tag != empty_string);
        see("multi", graph_.record(node).multi);
        see("seq_nr", metadata.sequence_number.has_value());
        if (given.empty()) {
            object.members(unknown);
        } else {
            object.members_without(unknown, given);
        }
    }

    void write_module_stack(ObjectWriter& object, std::string_view field, ModuleStackId stack) {
        if (stack == 0) return;
        object.key(field);
        write_list(text_, graph_.module_stack(stack), [&](const ModuleStackEntry& entry) {
            text_ += '[';
            append_json_string(text_, graph_.text(entry.path));
            text_ += ',';
            append_json_string(text_, graph_.text(entry.class_name));
            text_ += ']';
        });
    }

    void write_tensor(const TensorMeta& tensor) {
        if (!tensor.is_tensor) {
            text_ += "null";
            return;
        }
        const auto write_integers = [&](std::span<const std::int64_t> values) {
            write_list(text_, values, [&](std::int64_t value) { append_json_integer(text_, value); });
        };
        ObjectWriter object(text_);
        object.string("dtype", dtype_info(tensor.dtype).name);
        object.key("shape");
        write_integers(graph_.shape(tensor));
        object.key("stride");
        write_integers(graph_.stride(tensor));
        object.string("device", graph_.text(tensor.device));
        if (tensor.storage_offset != 0) object.integer(offset_field, tensor.storage_offset);
        object.integer("storage", tensor.storage);
        object.integer("storage_bytes", tensor.storage_bytes);
        const std::string_view unknown = graph_.text(tensor.extra_json);
        if (tensor.storage_offset != 0 && unknown.find(offset_field) != std::string_view::npos) {
            object.members_without(unknown, {&offset_field, 1});  // a 0 that the file had
        } else {
            object.members(unknown);
        }
        object.end();
    }

    /// A dictionary's own braces, without the tag.
    void write_members(std::string& text, const Value& dictionary) {
        ObjectWriter object(text);
        const std::span<const Value> children = graph_.children(dictionary);
        for (std::size_t child = 0; child + 1 < children.size(); child += 2) {
            write_value(object.key(graph_.text(children[child].string)), children[child + 1]);
        }
        object.end();
    }

    void write_tagged(std::string_view tag, std::string_view value) {
        ObjectWriter object(text_);
        object.string(tag, value);
        object.end();
    }

    void write_value(std::string& text, const Value& value) {
        const auto write_children = [&] {
            write_list(text, graph_.children(value), [&](const Value& child) { write_value(text, child); });
        };
        switch (value.kind) {
            case ValueKind::none:
                text += "null";
                break;
            case ValueKind::boolean:
                text += value.boolean ? "true" : "false";
                break;
            case ValueKind::integer:
                append_json_integer(text, value.integer);
                break;
            case ValueKind::floating:
                append_json_number(text, value.floating);
                break;
            case ValueKind::string:
                append_json_string(text, graph_.text(value.string));
                break;
            case ValueKind::node:
                write_tagged("node", graph_.name(value.node));
                break;
            case ValueKind::list:
                write_children();
                break;
            case ValueKind::dictionary: {
                ObjectWriter object(text);
                write_members(object.key("dict"), value);
                object.end();
                break;
            }
            case ValueKind::dtype:
                write_tagged("dtype", graph_.text(value.string));
                break;
            case ValueKind::device:
                write_tagged("device", graph_.text(value.string));
                break;
            case ValueKind::layout:
                write_tagged("layout", graph_.text(value.string));
                break;
            case ValueKind::memory_format:
                write_tagged("memory_format", graph_.text(value.string));
                break;
            case ValueKind::slice: {
                ObjectWriter object(text);
                object.key("slice");
                write_children();
                object.end();
                break;
            }
            case ValueKind::symbol: {
                const std::span<const Value> children = graph_.children(value);
                ObjectWriter object(text);
                object.string("symbol", graph_.text(children[0].string));
                write_value(object.key("hint"), children[1]);
                object.end();
                break;
            }
            case ValueKind::special_float:
                write_tagged("float", graph_.text(value.string));
                break;
            case ValueKind::raw_json:
                text += graph_.text(value.string);
                break;
        }
    }

    const Graph& graph_;
    std::string text_;
};

}  // namespace

std::string write_graph_text(const Graph& graph) {
    return GraphWriter(graph).write();
}

std::string write_node_text(const Graph& graph, NodeId node) {
    return GraphWriter(graph).write_one(node);
}

void write_graph_file(const Graph& graph, const std::string& path) {
    write_json_file(path, write_graph_text(graph));
}

}  // namespace overlap
