#pragma once

#include <memory>

#include "core/graph/graph.h"

namespace overlap {

/// Which process groups go over one link where a graph's cost model does not say so.
enum class LinkSharing {
    /// Groups of several ranks within one host share a GPU's link to the others (NVLink), groups across hosts share its
    /// network card. Hosts have eight GPUs, whose ranks follow one another.
    by_host,
    /// Each group of the graph has a link of its own, which it shares only with groups that passes make of it.
    by_group,
};

/// The graph with links that are shared, so that a second communicator over a card does not look like a second card:
/// simulations divide the bandwidth, and passes that make a group of another one put it on the same link. Unchanged
/// where its cost model says which groups share links, or where it has none.
std::shared_ptr<const Graph> with_shared_links(const std::shared_ptr<const Graph>& graph, LinkSharing sharing);

}  // namespace overlap
