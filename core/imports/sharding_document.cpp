#include "core/imports/sharding_document.h"

#include <numeric>

#include "core/base/error.h"
#include "core/files/json_bytes.h"
#include "core/files/json_document.h"
#include "core/files/json_fields.h"
#include "core/mesh/sharding_text.h"

namespace overlap {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

/// A field that may be missing or null.
std::optional<element> optional_field(object from, std::string_view key) {
    element value;
    if (from.at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
    return value;
}

double optional_number(object from, std::string_view key, const JsonPlace& place) {
    const std::optional<element> value = optional_field(from, key);
    return value ? json_number(*value, JsonPlace(place, key)) : 0;
}

std::vector<std::int64_t> sizes(element value, const JsonPlace& place, std::int64_t least) {
    std::vector<std::int64_t> items;
    for (const element item : json_list(value, place))
        items.push_back(json_integer(item, JsonPlace(place, items.size()), least));
    return items;
}

class ShardingReader {
  public:
    explicit ShardingReader(const std::stop_token& stop) : stop_(stop) {}

    ShardingDocument read(object root) {
        const JsonPlace mesh_place("mesh");
        const object mesh = json_object(json_required(root, "mesh", JsonPlace("document")), mesh_place);
        document_.mesh_shape = sizes(json_required(mesh, "shape", mesh_place), JsonPlace(mesh_place, "shape"), 1);
        if (const auto names = optional_field(mesh, "dim_names"))
            read_names(*names, JsonPlace(mesh_place, "dim_names"));
        const JsonPlace nodes_place("nodes");
        std::size_t index = 0;
        for (const element node : json_list(json_required(root, "nodes", JsonPlace("document")), nodes_place)) {
            if (stop_.stop_requested()) return {};
            read_node(node, nodes_place, index++);
        }
        return std::move(document_);
    }

  private:
    void read_names(element value, const JsonPlace& place) {
        for (const element name : json_list(value, place))
            document_.mesh_names.emplace_back(json_string(name, JsonPlace(place, document_.mesh_names.size())));
        if (document_.mesh_names.size() != document_.mesh_shape.size())
            place.fail("expected a name for each dimension of the mesh");
    }

    void read_node(element value, const JsonPlace& list, std::size_t index) {
        const object fields = json_object(value, JsonPlace(list, index));
        const std::string_view name =
            json_string(json_required(fields, "name", JsonPlace(list, index)), JsonPlace(list, index));
        const JsonPlace place(list, index, name);
        ShardedNode node;
        node.name = name;
        node.op = json_string(json_required(fields, "op", place), JsonPlace(place, "op"));
        if (node.op == "output") return;  // it has no placement
        if (const auto shape = optional_field(fields, "shape"))
            node.shape = sizes(*shape, JsonPlace(place, "shape"), 0);
        const JsonPlace placement_place(place, "placement");
        node.placement = json_string(json_required(fields, "placement", place), placement_place);
        node.state = state(node.placement, placement_place);
        if (node.state && node.shape) check(*node.state, static_cast<int>(node.shape->size()), placement_place);
        if (const auto dtype = optional_field(fields, "dtype"))
            node.dtype = json_string(*dtype, JsonPlace(place, "dtype"));
        node.compute_us = optional_number(fields, "compute_cost", place);
        const JsonPlace inputs_place(place, "inputs");
        for (const element input : json_list(json_required(fields, "inputs", place), inputs_place))
            node.inputs.push_back(read_input(input, JsonPlace(inputs_place, node.inputs.size())));
        document_.nodes.push_back(std::move(node));
    }

    ShardedInput read_input(element value, const JsonPlace& place) {
        const object fields = json_object(value, place);
        ShardedInput input;
        input.name = json_string(json_required(fields, "name", place), JsonPlace(place, "name"));
        if (const auto made = optional_field(fields, "src_placement"))
            input.made =
                state(json_string(*made, JsonPlace(place, "src_placement")), JsonPlace(place, "src_placement"));
        if (const auto taken = optional_field(fields, "dst_placement"))
            input.taken =
                state(json_string(*taken, JsonPlace(place, "dst_placement")), JsonPlace(place, "dst_placement"));
        input.redistribution_us = optional_number(fields, "comm_cost", place);
        return input;
    }

    /// A placement as torch prints it; nothing for that of several tensors or of none.
    std::optional<ShardingState> state(std::string_view text, const JsonPlace& place) const {
        if (text.starts_with('(') || text == "None") return std::nullopt;
        try {
            return parse_state(text, static_cast<int>(document_.mesh_shape.size()));
        } catch (const InputError& error) {
            place.fail(error.what());
        }
    }

    static void check(const ShardingState& state, int dimensions, const JsonPlace& place) {
        for (const Placement& placement : state.placements) {
            if (placement.cuts() && placement.tensor_dim >= dimensions) {
                std::string problem = "it cuts dimension ";
                problem.append(std::to_string(placement.tensor_dim)).append(" of a tensor that has ");
                place.fail(problem + std::to_string(dimensions));
            }
        }
    }

    const std::stop_token& stop_;
    ShardingDocument document_;
};

/// @param read returns the bytes of the document, or nothing when a stop was requested.
template <typename Read>
ShardingDocument named_document(const std::string& name, const std::stop_token& stop, const Read& read) {
    try {
        std::optional<JsonBytes> bytes = read();
        if (!bytes) return {};
        const JsonDocument document(*std::move(bytes));
        return ShardingReader(stop).read(json_object(document.root(), JsonPlace("document")));
    } catch (const InputError& error) {
        throw error.in_file(name);
    }
}

}  // namespace

bool looks_like_sharding_document(std::string_view head) {
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || head[first] != '{') return false;
    for (const std::string_view part : {"\"mesh\"", "\"shape\"", "\"nodes\"", "\"placement\""})
        if (head.find(part) == std::string_view::npos) return false;
    return true;
}

std::vector<std::string> ShardingDocument::unknown_nodes(const Graph& graph) const {
    std::vector<std::string> names;
    for (const ShardedNode& node : nodes)
        if (graph.find(node.name) == no_node) names.push_back(node.name);
    return names;
}

double ShardingDocument::redistribution_us() const {
    double sum = 0;
    for (const ShardedNode& node : nodes)
        for (const ShardedInput& input : node.inputs) sum += input.redistribution_us;
    return sum;
}

double ShardingDocument::compute_us() const {
    return std::accumulate(nodes.begin(), nodes.end(), 0.0,
                           [](double sum, const ShardedNode& node) { return sum + node.compute_us; });
}

ShardingDocument read_sharding_document(const std::string& path, const std::stop_token& stop) {
    return named_document(path, stop, [&] { return read_json_file(path, stop); });
}

ShardingDocument read_sharding_text(std::string_view text, const std::string& name) {
    return named_document(name, {}, [&] { return std::optional(JsonBytes(std::string(text))); });
}

}  // namespace overlap
