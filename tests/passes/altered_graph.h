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

/// What is different in a node of a document: what a place holds there.
struct Difference {
    std::string node;   ///< its name
    std::string place;  ///< within the node, as a JSON pointer: "/args/1", or "/args/-" behind the last argument
    std::string holds;  ///< JSON; empty: the place goes
};

inline std::ostream& operator<<(std::ostream& out, const Difference& difference) {
    return out << difference.node << difference.place << " = " << difference.holds;
}

/// The graph with differences, as a reader of its document gets it.
/// @throws InputError where a document with them is none; nlohmann's exceptions where there is no such place.
inline std::shared_ptr<const Graph> altered(const Graph& graph, const std::vector<Difference>& differences) {
    using Json = nlohmann::ordered_json;
    Json document = Json::parse(write_graph_text(graph));
    for (const Difference& difference : differences) {
        Json& nodes = document["nodes"];
        const auto node = std::ranges::find_if(nodes, [&](const Json& one) { return one["name"] == difference.node; });
        if (node == nodes.end()) throw std::invalid_argument("no node " + difference.node);
        if (difference.holds.empty()) {
            *node = node->patch(Json::array({{{"op", "remove"}, {"path", difference.place}}}));
        } else {
            (*node)[Json::json_pointer(difference.place)] = Json::parse(difference.holds);
        }
    }
    return read_graph_text(document.dump(), "altered");
}

/// The graph with one more node, JSON, in front of another one.
inline std::shared_ptr<const Graph> with_node(const Graph& graph, const std::string& node, const std::string& before) {
    using Json = nlohmann::ordered_json;
    Json document = Json::parse(write_graph_text(graph));
    Json& nodes = document["nodes"];
    const auto place = std::ranges::find_if(nodes, [&](const Json& one) { return one["name"] == before; });
    nodes.insert(place, Json::parse(node));
    return read_graph_text(document.dump(), "altered");
}

}  // namespace overlap::test
