#pragma once

#include <memory>
#include <stop_token>

#include "core/graph/graph.h"

namespace overlap {

struct CleanedGraph {
    std::shared_ptr<const Graph> graph;
    bool memory_is_fixed = true;  ///< no plan can compute again or keep on the host what is kept
};

/// What plans may run before everything else and never adds work, and whether they could compute something again.
/// @param stop when it is requested, the rest is left out.
CleanedGraph cleaned_up(std::shared_ptr<const Graph> graph, const std::stop_token& stop);

}  // namespace overlap
