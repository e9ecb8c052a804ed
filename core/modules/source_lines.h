#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// A place in a program's text.
struct SourceLine {
    std::string file;
    std::int64_t line = 0;
    std::string function;  ///< or empty
};

/// Where nodes come from, as far as a graph shows: `source` of nodes (core/imports writes it), else the frames of their
/// `stack_trace`, innermost first. Frames are read once for each different text.
class SourceLines {
  public:
    explicit SourceLines(const Graph& graph) : graph_(graph) {}

    /// The frames of a node; empty where the graph does not have them.
    const std::vector<SourceLine>& frames(NodeId node);

  private:
    const Graph& graph_;
    std::unordered_map<StringId, std::vector<SourceLine>> by_text_;
};

}  // namespace overlap
