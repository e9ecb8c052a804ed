#pragma once

#include <memory>
#include <string>

#include "core/io/graph_file.h"

namespace overlap {

/// A graph of tests/data/graphs by its name without ending.
inline std::shared_ptr<const Graph> test_graph(const std::string& name) {
    return read_graph_file(std::string(OVERLAP_TEST_DATA) + "/graphs/" + name + ".graph.json.gz");
}

}  // namespace overlap
