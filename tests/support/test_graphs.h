#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/graph_file.h"
#include "core/passes/pass.h"

namespace overlap {

/// A graph of tests/data/graphs by its name without ending.
inline std::shared_ptr<const Graph> test_graph(const std::string& name) {
    return read_graph_file(std::string(OVERLAP_TEST_DATA) + "/graphs/" + name + ".graph.json.gz");
}

inline std::vector<std::string> pass_names(const std::vector<PassStep>& steps) {
    std::vector<std::string> names;
    for (const PassStep& step : steps) names.push_back(step.pass);
    return names;
}

}  // namespace overlap
