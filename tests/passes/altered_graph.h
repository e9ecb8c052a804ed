#pragma once

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/io/graph_file.h"

namespace overlap::test {

/// A node of a document. In arguments and keywords, JSON, "%NAME" stands for the node of that name.
struct Call {
    std::string name, target, args = "[]", kwargs = "{}";
};

namespace detail {

using Json = nlohmann::ordered_json;

/// With nodes as a document writes them.
inline Json with_nodes(Json value) {
    if (value.is_string() && value.get<std::string>().starts_with('%'))
        return {{"node", value.get<std::string>().substr(1)}};
    if (value.is_structured())
        for (Json& child : value) child = with_nodes(std::move(child));
    return value;
}

inline Json node_of(const Call& call) {
    return {{"name", call.name},
            {"op", "call_function"},
            {"target", call.target},
            {"args", with_nodes(Json::parse(call.args))},
            {"kwargs", with_nodes(Json::parse(call.kwargs))}};
}

}  // namespace detail

/// A graph of inputs, calls and what it returns, without tensors.
inline std::shared_ptr<const Graph> graph_of(const std::vector<std::string>& inputs, const std::vector<Call>& calls,
                                             const std::string& returns) {
    using detail::Json;
    Json nodes = Json::array();
    for (const std::string& input : inputs)
        nodes.push_back({{"name", input}, {"op", "placeholder"}, {"target", input}});
    for (const Call& call : calls) nodes.push_back(detail::node_of(call));
    nodes.push_back({{"name", "output"},
                     {"op", "output"},
                     {"target", "output"},
                     {"args", detail::with_nodes(Json::array({Json::parse(returns)}))}});
    const Json document = {{"format", "overlap-graph"}, {"version", 1}, {"nodes", nodes}};
    return read_graph_text(document.dump(), "calls");
}

/// What is different in a node of a document: what a place holds there.
struct Difference {
    std::string node;   ///< its name
    std::string place;  ///< within the node, as a JSON pointer: "/args/1", or "/args/-" behind the last argument
    std::string holds;  ///< JSON, "%NAME" is a node; empty: the place goes
};

inline std::ostream& operator<<(std::ostream& out, const Difference& difference) {
    return out << difference.node << difference.place << " = " << difference.holds;
}

/// The graph with differences, as a reader of its document gets it.
/// @throws InputError where a document with them is none; nlohmann's exceptions where there is no such place.
inline std::shared_ptr<const Graph> altered(const Graph& graph, const std::vector<Difference>& differences) {
    using detail::Json;
    Json document = Json::parse(write_graph_text(graph));
    for (const Difference& difference : differences) {
        Json& nodes = document["nodes"];
        const auto node = std::ranges::find_if(nodes, [&](const Json& one) { return one["name"] == difference.node; });
        if (node == nodes.end()) throw std::invalid_argument("no node " + difference.node);
        if (difference.holds.empty()) {
            *node = node->patch(Json::array({{{"op", "remove"}, {"path", difference.place}}}));
        } else {
            (*node)[Json::json_pointer(difference.place)] = detail::with_nodes(Json::parse(difference.holds));
        }
    }
    return read_graph_text(document.dump(), "altered");
}

/// The graph with one more call, in front of another node.
/// @throws std::invalid_argument where there is no such node.
inline std::shared_ptr<const Graph> with_call(const Graph& graph, const Call& call, const std::string& before) {
    detail::Json document = detail::Json::parse(write_graph_text(graph));
    detail::Json& nodes = document["nodes"];
    const auto place = std::ranges::find_if(nodes, [&](const detail::Json& one) { return one["name"] == before; });
    if (place == nodes.end()) throw std::invalid_argument("no node " + before);
    nodes.insert(place, detail::node_of(call));
    return read_graph_text(document.dump(), "altered");
}

}  // namespace overlap::test
