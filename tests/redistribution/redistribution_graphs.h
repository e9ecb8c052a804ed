#pragma once

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "core/files/ordered_json.h"
#include "core/io/graph_file.h"
#include "core/mesh/sharding_text.h"
#include "core/passes/pass.h"
#include "core/redistribution/device_orders.h"

namespace overlap::test {

/// A document of tests/data/redistribution_graphs, to read as it is or to spoil.
inline Json redistribution_document(const std::string& name) {
    std::ifstream file(std::string(OVERLAP_TEST_DATA) + "/redistribution_graphs/" + name + ".graph.json");
    return Json::parse(file);
}

inline std::shared_ptr<const Graph> graph_of(const Json& document) {
    return read_graph_text(document.dump(), "test");
}

inline Json& node_of(Json& document, const std::string& name) {
    return *std::ranges::find_if(document["nodes"], [&](const Json& node) { return node["name"] == name; });
}

/// `S(0)R->RR` of each chain.
inline std::vector<std::string> paths_of(const ParameterChains& parameter) {
    std::vector<std::string> paths;
    for (const RedistributionChain& chain : parameter.chains) {
        std::string& path = paths.emplace_back();
        for (const ShardingState& state : chain.states) path += (path.empty() ? "" : "->") + to_text(state);
    }
    return paths;
}

}  // namespace overlap::test
