#pragma once

#include <string>

#include "core/io/graph_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace overlap::fuzz {

/// Ends the program unless the document of `graph` is read as the same graph.
inline void require_readable(const Graph& graph) {
    const std::string text = write_graph_text(graph);
    const auto again = must_accept([&] { return read_graph_text(text, "again"); });
    require(write_graph_text(*again) == text, "a graph was read back as another one");
}

}  // namespace overlap::fuzz
