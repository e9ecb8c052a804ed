#pragma once

#include <vector>

#include "core/layout/box_tree.h"

namespace overlap {

/// Collects edges of the graph and bundles them by the boxes that they connect.
class EdgeBundler {
  public:
    void add(BoxId from, BoxId to, NodeId tensor) { edges_.push_back({std::uint64_t{from} << 32 | to, tensor}); }
    /// One edge for each pair of boxes, ordered by `from`, then `to`.
    std::vector<LevelEdge> finish(const Graph& graph);

  private:
    struct Edge {
        std::uint64_t boxes;
        NodeId tensor;
    };
    std::vector<Edge> edges_;
};

}  // namespace overlap
