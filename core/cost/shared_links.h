#pragma once

#include <memory>
#include <string>
#include <vector>

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

/// Process groups of several ranks by the link that they go over, a list for each link that has any: see
/// LinkSharing::by_host.
std::vector<std::vector<std::string>> links_by_host(const GraphHeader& header);

/// True where the graph's cost model says which groups share links.
bool says_shared_links(const Graph& graph);

/// The graph with links that are shared, so that a second communicator over a card does not look like a second card:
/// simulations divide the bandwidth, and passes that make a group of another one put it on the same link. Unchanged
/// where its cost model says which groups share links, or where it has none.
std::shared_ptr<const Graph> with_shared_links(const std::shared_ptr<const Graph>& graph, LinkSharing sharing);

}  // namespace overlap
