#pragma once

#include <memory>
#include <vector>

#include "core/graph/graph_difference.h"

namespace overlap {

/// What a rewriting did to a graph, found when it is first asked for: most evaluations are made for their figures
/// alone. Copies share what was found; any thread may ask.
class DeferredDifference {
  public:
    /// Of a graph and itself.
    DeferredDifference() = default;
    /// @param origin as of graph_difference().
    DeferredDifference(std::shared_ptr<const Graph> before, std::shared_ptr<const Graph> after,
                       std::vector<NodeId> origin);

    const GraphDifference& operator*() const;
    const GraphDifference* operator->() const { return &**this; }

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace overlap
