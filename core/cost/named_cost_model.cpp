#include "core/cost/named_cost_model.h"

#include <algorithm>
#include <map>

#include "core/cost/compute_class.h"

namespace overlap {

namespace {

CostParameters::Link link_over(const LinkCost& cost, const ProcessGroup& group, double bytes_per_s) {
    const double further_ranks = group.ranks.empty() ? 0 : static_cast<double>(group.ranks.size() - 1);
    return {group.name, cost.latency_ms + cost.latency_per_rank_ms * further_ranks, bytes_per_s, cost.kinds};
}

/// The most ranks of the group that are in one node.
std::int64_t ranks_in_a_node(const NamedCostModel& model, const ProcessGroup& group) {
    std::map<std::int64_t, std::int64_t> of_node;
    std::int64_t most = 1;
    for (const int rank : group.ranks) most = std::max(most, ++of_node[rank / model.gpus_per_node]);
    return most;
}

CostParameters::Link link_between_nodes(const NamedCostModel& model, const ProcessGroup& group) {
    const std::int64_t interfaces = model.gpus_per_node > 0 ? ranks_in_a_node(model, group) : 1;
    double bytes_per_s = model.between_nodes->bytes_per_s * static_cast<double>(interfaces);
    if (model.within_node && interfaces > 1) bytes_per_s = std::min(bytes_per_s, model.within_node->bytes_per_s);
    return link_over(*model.between_nodes, group, bytes_per_s);
}

}  // namespace

bool within_one_node(const NamedCostModel& model, const ProcessGroup& group) {
    if (group.ranks.empty()) return false;
    const std::int64_t of_node = gpus_per_node(model), node = group.ranks.front() / of_node;
    return std::ranges::all_of(group.ranks, [&](int rank) { return rank / of_node == node; });
}

std::int64_t gpus_per_node(const NamedCostModel& model) {
    return model.cluster ? model.cluster->gpus_per_host : model.gpus_per_node;
}

std::vector<std::string> unknown_factors(const NamedCostModel::Contention& contention) {
    std::vector<std::string> unknown;
    for (const ComputeClass computing : computing_classes) {
        const std::string name(compute_class_name(computing));
        if (!contention.compute_slowdown.contains(name))
            unknown.push_back("by how much communication slows " + name + " down");
    }
    if (!contention.communication_slowdown) unknown.emplace_back("by how much compute slows communication down");
    return unknown;
}

std::optional<CostParameters::Link> link_of(const NamedCostModel& model, const ProcessGroup& group) {
    if (const auto own = model.links_of_groups.find(group.name); own != model.links_of_groups.end())
        return link_over(own->second, group, own->second.bytes_per_s);
    const auto sized = model.links_of_sizes.find(static_cast<std::int64_t>(group.ranks.size()));
    if (sized != model.links_of_sizes.end()) return link_over(sized->second, group, sized->second.bytes_per_s);
    if (model.cluster) return link_in(*model.cluster, group);
    const bool within = model.gpus_per_node > 0 && within_one_node(model, group);
    if (model.within_node && (within || !model.between_nodes))
        return link_over(*model.within_node, group, model.within_node->bytes_per_s);
    if (model.between_nodes) return link_between_nodes(model, group);
    return std::nullopt;
}

}  // namespace overlap
