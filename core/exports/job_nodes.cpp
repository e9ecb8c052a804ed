#include "core/exports/job_nodes.h"

#include <algorithm>

#include "core/files/ordered_json.h"
#include "core/io/graph_file.h"

namespace overlap {

namespace {

constexpr std::string_view gather_out = "_c10d_functional.all_gather_into_tensor_out.default";
constexpr std::string_view pre_bucket_gather = "bucketing._pre_bucket_all_gather.default";

std::size_t number_of(const Json& value, Json& table, std::map<std::string, std::size_t>& numbers) {
    const auto [found, made] = numbers.try_emplace(value.dump(), table.size());
    if (made) table.push_back(value);
    return found->second;
}

/// The input that argument `index` of a node is, or no_node.
NodeId node_argument(const Graph& graph, NodeId node, std::size_t index) {
    const Value* argument = graph.argument(node, index);
    return argument && argument->is(ValueKind::node) ? argument->node : no_node;
}

/// A gather into a buffer, by the share of the buffer that this rank fills.
struct Share {
    NodeId gather = no_node, slice = no_node, buffer = no_node;
};

Share share_of_gather(const Graph& graph, NodeId gather) {
    NodeId slice = node_argument(graph, gather, 0);
    if (slice != no_node && graph.target(slice) == "aten.copy_.default") slice = node_argument(graph, slice, 0);
    if (slice == no_node || graph.target(slice) != "aten.slice.Tensor") return {};
    return {gather, slice, node_argument(graph, slice, 0)};
}

/// The share that `node` slices out of a buffer, or whose buffer it makes.
Share share_at(const Graph& graph, NodeId node) {
    const auto find = [&](NodeId from, auto&& is_found) {
        for (const NodeId user : graph.users(from)) {
            if (graph.target(user) != gather_out) continue;
            if (const Share share = share_of_gather(graph, user); is_found(share)) return share;
        }
        return Share{};
    };
    if (graph.target(node) == "aten.slice.Tensor") {
        const auto is_found = [&](const Share& share) { return share.slice == node; };
        if (const Share direct = find(node, is_found); direct.gather != no_node) return direct;
        for (const NodeId user : graph.users(node)) {
            if (const Share copied = find(user, is_found); copied.gather != no_node) return copied;
        }
    }
    if (graph.target(node) == pre_bucket_gather) {
        return find(node, [&](const Share& share) { return share.buffer == node; });
    }
    return {};
}

Json of_rank(std::string_view group, std::int64_t times, std::int64_t plus) {
    return {{"rank_in", group}, {"times", times}, {"plus", plus}};
}

}  // namespace

Json JobNodes::compact(const Graph& graph, NodeId node) {
    return compact(Json::parse(write_node_text(graph, node)));
}

Json JobNodes::whole(const Graph& graph, NodeId node) {
    const Json document = Json::parse(write_node_text(graph, node));
    Json written = compact(document);
    for (const char* field : {"multi", "custom", "seq_nr", "partitioner_tag"}) {
        if (document.contains(field)) written[field] = document[field];
    }
    return written;
}

Json JobNodes::compact(const Json& node) {
    Json written = {{"name", node["name"]}};
    if (node["op"] != "call_function") written["op"] = node["op"];
    written["target"] = node["target"];
    for (const char* field : {"args", "kwargs"}) {
        if (node.contains(field)) written[field] = node[field];
    }
    if (node.contains("outputs")) {
        Json outputs = Json::array();
        for (const Json& tensor : node["outputs"]) {
            outputs.push_back(
                tensor.is_null()
                    ? tensor
                    : Json{{"dtype", tensor["dtype"]}, {"shape", tensor["shape"]}, {"stride", tensor["stride"]}});
        }
        written["outputs"] = number_of(outputs, outputs_, output_numbers_);
    }
    Json modules = Json::object();
    for (const char* field : {"module_stack", "fwd_module_stack"}) {
        if (node.contains(field)) modules[field] = node[field];
    }
    if (const auto custom = node.find("custom"); custom != node.end() && custom->contains("module_fqn")) {
        modules["module_fqn"] = (*custom)["module_fqn"];
    }
    if (!modules.empty()) written["modules"] = number_of(modules, modules_, module_numbers_);
    if (node.contains("autograd_backward")) written["autograd_backward"] = node["autograd_backward"];
    if (const auto fields = node.find("titan_meta"); fields != node.end()) add_chunk(*fields, written);
    return written;
}

void JobNodes::add_chunk(const Json& trainer_fields, Json& written) {
    constexpr const char* original_name = "chunked_original_name";
    Json chunk = Json::object();
    for (const char* field : {"chunked_region_fqn", "chunked_region_is_backward", "chunked_region_producer",
                              "chunked_region_role", "chunk_id"}) {
        if (trainer_fields.contains(field)) chunk[field] = trainer_fields[field];
    }
    if (!chunk.empty()) written["chunk"] = number_of(chunk, chunks_, chunk_numbers_);
    if (trainer_fields.contains(original_name)) written[original_name] = trainer_fields[original_name];
}

void mark_rank_arguments(const Graph& graph, NodeId node, Json& written) {
    const Share share = share_at(graph, node);
    if (share.gather == no_node) return;
    const std::string_view name = graph.group_name(share.gather);
    const ProcessGroup* group = graph.header().process_group(name);
    if (!group) return;
    Json& args = written["args"];
    if (node == share.buffer) {
        constexpr std::size_t rank_argument = 4;
        if (args.size() > rank_argument && args[rank_argument] == group->rank)
            args[rank_argument] = of_rank(name, 1, 0);
        return;
    }
    if (args.size() < 4 || !args[2].is_number_integer() || !args[3].is_number_integer()) return;
    const auto begin = args[2].get<std::int64_t>();
    const std::int64_t length = args[3].get<std::int64_t>() - begin;
    if (begin != length * group->rank) return;
    args[2] = of_rank(name, length, 0);
    args[3] = of_rank(name, length, length);
}

}  // namespace overlap
