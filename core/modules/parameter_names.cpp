#include "core/modules/parameter_names.h"

#include <nlohmann/json.hpp>

#include "core/files/json_members.h"

namespace overlap {

std::optional<std::vector<std::pair<NodeId, std::string>>> parameter_names(const Graph& graph) {
    const auto names =
        nlohmann::json::parse(json_member(graph.header().extra_json, "placeholder_fqns"), nullptr, false);
    if (!names.is_object()) return std::nullopt;
    std::vector<std::pair<NodeId, std::string>> parameters;
    for (NodeId node = 0; node < graph.node_count() && graph.op(node) == NodeOp::placeholder; ++node) {
        const auto name = names.find(std::string(graph.name(node)));
        if (name != names.end() && name->is_string()) parameters.emplace_back(node, name->get<std::string>());
    }
    return parameters;
}

}  // namespace overlap
