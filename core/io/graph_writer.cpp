#include <algorithm>
#include <vector>

#include "core/files/json_document.h"
#include "core/files/json_output.h"
#include "core/files/json_text.h"
#include "core/io/graph/graph_supplements.h"
#include "core/io/graph_file.h"

namespace overlap {

namespace {

constexpr std::string_view offset_field = "storage_offset";

/// The members of `object_json` that have none of these names, as an object's text.
std::string members_without(std::string_view object_json, std::span<const std::string_view> names) {
    const JsonDocument document{JsonBytes(std::string(object_json))};
    JsonMembers others;
    for (const auto [name, value] : document.root().get_object()) {
        if (std::ranges::find(names, name) == names.end()) others.add(name, value);
    }
    return std::string(others.close());
}

class GraphWriter {
  public:
    explicit GraphWriter(const Graph& graph) : graph_(graph) {}

    std::string write() {
        const GraphHeader& header = graph_.header();
        json_.reserve(std::size_t{512} * graph_.node_count() + 4096);
        json_.begin_object().member("format", "overlap-graph").member("version", std::int64_t{1});
        if (!header.name.empty()) json_.member("name", header.name);
        if (!header.producer_json.empty()) json_.key("producer").json(header.producer_json);
        if (header.rank) json_.member("rank", *header.rank);
        if (header.world_size) json_.member("world_size", *header.world_size);
        if (header.has_process_groups || !header.process_groups.empty()) {
            json_.key("process_groups");
            write_list(header.process_groups, [&](const ProcessGroup& group) { write_group(group); });
        }
        if (header.cost) json_.key("cost_model").json(header.cost->json);
        json_.members(header.extra_json);
        write_naming(json_, graph_);
        json_.key("nodes").begin_array();
        for (NodeId node = 0; node < graph_.node_count(); ++node) write_node(node);
        return json_.end_array().end_object().take();
    }

    std::string write_one(NodeId node) {
        write_node(node);
        return json_.take();
    }

  private:
    template <typename Items, typename Write>
    void write_list(const Items& items, Write&& write) {
        json_.begin_array();
        for (const auto& item : items) write(item);
        json_.end_array();
    }

    void write_integers(std::span<const std::int64_t> values) {
        write_list(values, [&](std::int64_t value) { json_.value(value); });
    }

    void write_group(const ProcessGroup& group) {
        json_.begin_object().member("name", group.name).key("ranks");
        write_list(group.ranks, [&](int rank) { json_.value(std::int64_t{rank}); });
        json_.member("rank", std::int64_t{group.rank}).members(group.extra_json).end_object();
    }

    void write_node(NodeId node) {
        const NodeRecord& record = graph_.record(node);
        const NodeMetadata& metadata = graph_.metadata(node);
        json_.begin_object().member("name", graph_.name(node)).member("op", node_op_name(record.op));
        json_.member("target", graph_.target(node));
        if (!record.args.is(ValueKind::none)) write_value_of("args", record.args);
        if (!record.kwargs.is(ValueKind::none)) {
            json_.key("kwargs");
            write_members(record.kwargs);
        }
        if (record.has_outputs) {
            json_.key("outputs");
            write_list(graph_.outputs(node), [&](const TensorMeta& tensor) { write_tensor(tensor); });
        }
        if (record.multi) json_.member("multi", true);
        write_metadata(metadata);
        write_unknown_fields(node);
        const std::span<const NodeId> users = graph_.users(node);
        if (!std::is_sorted(users.begin(), users.end())) {
            json_.key("users_order");
            write_list(users, [&](NodeId user) { json_.value(graph_.name(user)); });
        }
        json_.end_object();
    }

    void write_metadata(const NodeMetadata& metadata) {
        write_module_stack("module_stack", metadata.module_stack);
        write_module_stack("fwd_module_stack", metadata.fwd_module_stack);
        if (metadata.custom_json != empty_string) json_.key("custom").json(graph_.text(metadata.custom_json));
        if (metadata.sequence_number) json_.member("seq_nr", *metadata.sequence_number);
        if (metadata.partitioner_tag != empty_string)
            json_.member("partitioner_tag", graph_.text(metadata.partitioner_tag));
        if (metadata.autograd_backward) json_.member("autograd_backward", *metadata.autograd_backward);
        if (metadata.estimate_ms) json_.key("estimate_ms").floating(*metadata.estimate_ms);
    }

    /// A field that means the same as an absent one, such as an empty stack, was kept as an unknown one. It is dropped
    /// once the node has been given such a field.
    void write_unknown_fields(NodeId node) {
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
            json_.members(unknown);
        } else {
            json_.members(members_without(unknown, given));
        }
    }

    void write_module_stack(std::string_view field, ModuleStackId stack) {
        if (stack == 0) return;
        json_.key(field);
        write_list(graph_.module_stack(stack), [&](const ModuleStackEntry& entry) {
            json_.begin_array().value(graph_.text(entry.path)).value(graph_.text(entry.class_name)).end_array();
        });
    }

    void write_tensor(const TensorMeta& tensor) {
        if (!tensor.is_tensor) {
            json_.null();
            return;
        }
        json_.begin_object().member("dtype", dtype_info(tensor.dtype).name).key("shape");
        write_integers(graph_.shape(tensor));
        json_.key("stride");
        write_integers(graph_.stride(tensor));
        json_.member("device", graph_.text(tensor.device));
        if (tensor.storage_offset != 0) json_.member(offset_field, tensor.storage_offset);
        json_.member("storage", std::int64_t{tensor.storage}).member("storage_bytes", tensor.storage_bytes);
        const std::string_view unknown = graph_.text(tensor.extra_json);
        if (tensor.storage_offset != 0 && unknown.find(offset_field) != std::string_view::npos) {
            json_.members(members_without(unknown, {&offset_field, 1}));  // a 0 that the file had
        } else {
            json_.members(unknown);
        }
        json_.end_object();
    }

    /// A dictionary's own braces, without the tag.
    void write_members(const Value& dictionary) {
        json_.begin_object();
        const std::span<const Value> children = graph_.children(dictionary);
        for (std::size_t child = 0; child + 1 < children.size(); child += 2)
            write_value_of(graph_.text(children[child].string), children[child + 1]);
        json_.end_object();
    }

    void write_tagged(std::string_view tag, const Value& value) {
        json_.begin_object().member(tag, graph_.text(value.string)).end_object();
    }

    void write_children(const Value& value) {
        write_list(graph_.children(value), [&](const Value& child) { write_value(child); });
    }

    void write_symbol(const Value& value) {
        const std::span<const Value> children = graph_.children(value);
        json_.begin_object().member("symbol", graph_.text(children[0].string));
        write_value_of("hint", children[1]);
        json_.end_object();
    }

    void write_value_of(std::string_view key, const Value& value) {
        json_.key(key);
        write_value(value);
    }

    void write_value(const Value& value) {
        switch (value.kind) {
            case ValueKind::none:
                json_.null();
                break;
            case ValueKind::boolean:
                json_.value(value.boolean);
                break;
            case ValueKind::integer:
                json_.value(value.integer);
                break;
            case ValueKind::floating:
                json_.floating(value.floating);
                break;
            case ValueKind::string:
                json_.value(graph_.text(value.string));
                break;
            case ValueKind::node:
                json_.begin_object().member("node", graph_.name(value.node)).end_object();
                break;
            case ValueKind::list:
                write_children(value);
                break;
            case ValueKind::dictionary:
                json_.begin_object().key("dict");
                write_members(value);
                json_.end_object();
                break;
            case ValueKind::dtype:
                write_tagged("dtype", value);
                break;
            case ValueKind::device:
                write_tagged("device", value);
                break;
            case ValueKind::layout:
                write_tagged("layout", value);
                break;
            case ValueKind::memory_format:
                write_tagged("memory_format", value);
                break;
            case ValueKind::slice:
                json_.begin_object().key("slice");
                write_children(value);
                json_.end_object();
                break;
            case ValueKind::symbol:
                write_symbol(value);
                break;
            case ValueKind::special_float:
                write_tagged("float", value);
                break;
            case ValueKind::raw_json:
                json_.json(graph_.text(value.string));
                break;
        }
    }

    const Graph& graph_;
    JsonWriter json_;
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
