#include "core/views/members_of_result.h"

#include <algorithm>
#include <numeric>

#include "core/graph/direction.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/passes/experts/chunk_metadata.h"
#include "core/pipeline/manual_start.h"

namespace overlap {

namespace {

/// What a collective was called when its batch was halved; empty for one of no half.
std::string name_before_halving(const Graph& graph, NodeId start) {
    return experts::shown_chunk_metadata(graph, start).original_name;
}

}  // namespace

MembersOfResult::MembersOfResult(const Evaluation& evaluation) : evaluation_(evaluation) {
    for (FinalBucket& bucket : final_buckets(evaluation))
        merged_.insert_or_assign(std::move(bucket.start), std::move(bucket.members));
    // The pass makes one half of the node that it halves, and the other anew.
    for (const CollectiveTiming& timing : evaluation.simulation.collectives) {
        const NodeId origin = evaluation.origin[timing.start];
        if (origin == no_node) continue;
        if (std::string name = name_before_halving(*evaluation.graph, timing.start); !name.empty())
            halved_.emplace(std::move(name), origin);
    }
}

std::vector<NodeId> MembersOfResult::of(NodeId start) const {
    return found(start, [this](std::string_view name) { return evaluation_.input->find(name); });
}

std::vector<NodeId> MembersOfResult::sources_of(NodeId start) const {
    std::vector<NodeId> sources = found(start, [this](std::string_view name) { return source_named(name); });
    if (!sources.empty()) return sources;
    const std::string halved = name_before_halving(*evaluation_.graph, start);
    if (halved.empty()) return sources;
    const auto known = halved_.find(halved);
    if (const NodeId node = known == halved_.end() ? source_named(halved) : known->second; node != no_node)
        sources.push_back(node);
    return sources;
}

NodeId MembersOfResult::source_named(std::string_view name) const {
    constexpr std::string_view again = "_recomputed";
    NodeId node = evaluation_.input->find(name);
    while (node == no_node && name.ends_with(again)) {
        name.remove_suffix(again.size());
        node = evaluation_.input->find(name);
    }
    return node;
}

template <typename Find>
std::vector<NodeId> MembersOfResult::found(NodeId start, Find&& find) const {
    if (const NodeId origin = evaluation_.origin[start]; origin != no_node) return {origin};
    const std::string name(evaluation_.graph->name(start));
    const auto merged = merged_.find(name);
    std::vector<NodeId> nodes;
    const auto add = [&](const std::string& member) {
        if (const NodeId node = find(member); node != no_node) nodes.push_back(node);
    };
    if (merged == merged_.end()) {
        if (is_recomputed(*evaluation_.graph, start)) add(name);
    } else {
        for (const std::string& member : merged->second) add(member);
    }
    return nodes;
}

std::vector<double> shares_by_bytes(const Graph& input, std::span<const NodeId> members) {
    std::vector<double> shares;
    for (const NodeId member : members) shares.push_back(static_cast<double>(collective_bytes(input, member)));
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share = sum > 0 ? share / sum : 1.0 / static_cast<double>(members.size());
    return shares;
}

std::vector<NodeId> counterparts(const Evaluation& from, const MembersOfResult& members_of_from, const Evaluation& to,
                                 const MembersOfResult& members_of_to, std::span<const NodeId> starts) {
    if (starts.empty()) return {};
    std::unordered_map<NodeId, NodeId> start_of_member;
    for (const CollectiveTiming& timing : to.simulation.collectives)
        for (const NodeId member : members_of_to.of(timing.start)) start_of_member.emplace(member, timing.start);
    std::vector<NodeId> found;
    for (const NodeId start : starts) {
        NodeId counterpart = no_node;
        if (const std::vector<NodeId> members = members_of_from.of(start); members.empty()) {
            counterpart = to.graph->find(from.graph->name(start));
        } else if (const NodeId member = to.input->find(from.input->name(members.front())); member != no_node) {
            const auto has = start_of_member.find(member);
            counterpart = has == start_of_member.end() ? no_node : has->second;
        }
        if (counterpart != no_node && std::ranges::find(found, counterpart) == found.end())
            found.push_back(counterpart);
    }
    return found;
}

}  // namespace overlap
