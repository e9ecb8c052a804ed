#include "core/cost/shared_links.h"

#include <algorithm>
#include <utility>

#include "core/graph/editing/graph_editor.h"

namespace overlap {
namespace {

constexpr int gpus_per_host = 8;

bool within_one_host(const ProcessGroup& group) {
    const auto [least, most] = std::ranges::minmax(group.ranks);
    return least / gpus_per_host == most / gpus_per_host;
}

std::vector<std::vector<std::string>> links_by_group(const GraphHeader& header) {
    std::vector<std::vector<std::string>> links;
    for (const ProcessGroup& group : header.process_groups) links.push_back({group.name});
    return links;
}

}  // namespace

std::vector<std::vector<std::string>> links_by_host(const GraphHeader& header) {
    std::vector<std::string> within, across;
    for (const ProcessGroup& group : header.process_groups) {
        if (group.ranks.size() > 1) (within_one_host(group) ? within : across).push_back(group.name);
    }
    std::vector<std::vector<std::string>> links;
    for (std::vector<std::string>* names : {&within, &across}) {
        if (!names->empty()) links.push_back(std::move(*names));
    }
    return links;
}

bool says_shared_links(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    return cost && cost->contention && !cost->contention->shared_links.empty();
}

std::shared_ptr<const Graph> with_shared_links(const std::shared_ptr<const Graph>& graph, LinkSharing sharing) {
    if (!graph->header().cost || says_shared_links(*graph)) return graph;
    GraphHeader header = graph->header();
    if (!header.cost->contention) header.cost->contention = CostParameters::Contention{};
    header.cost->contention->shared_links =
        sharing == LinkSharing::by_host ? links_by_host(header) : links_by_group(header);
    GraphEditor editor(graph);
    editor.set_header(std::move(header));
    std::vector<NodeId> origin;
    return editor.finish(origin);
}

}  // namespace overlap
