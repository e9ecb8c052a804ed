#include "core/passes/bucketing/collective_reachability.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"

namespace overlap {

namespace {

bool has(const std::vector<std::uint64_t>& bits, std::uint32_t index) {
    return bits[index / 64] >> (index % 64) & 1;
}
void set(std::vector<std::uint64_t>& bits, std::uint32_t index) {
    bits[index / 64] |= std::uint64_t{1} << (index % 64);
}

void unite(std::vector<std::uint64_t>& into, const std::vector<std::uint64_t>& from) {
    for (std::size_t word = 0; word < into.size(); ++word) into[word] |= from[word];
}

bool intersect(const std::vector<std::uint64_t>& left, const std::vector<std::uint64_t>& right) {
    for (std::size_t word = 0; word < left.size(); ++word) {
        if (left[word] & right[word]) return true;
    }
    return false;
}

}  // namespace

std::vector<RecognisedCollective> recognised_collectives(const Graph& graph) {
    std::vector<RecognisedCollective> collectives;
    constexpr std::uint32_t unknown = 0xffffffffu;
    std::vector<std::uint32_t> place_of_start(graph.node_count(), unknown);
    for (NodeId wait = 0; wait < graph.node_count(); ++wait) {
        if (graph.op(wait) != NodeOp::call_function || !graph.target_info(wait).is_wait) continue;
        const Value* awaited = graph.argument(wait, 0);
        if (!awaited || !awaited->is(ValueKind::node)) {
            throw InputError("node \"" + std::string(graph.name(wait)) + "\"",
                             "wait_tensor does not wait for a node, and PyTorch raises an AssertionError");
        }
        NodeId start = awaited->node;
        if (graph.op(start) != NodeOp::call_function) continue;
        if (graph.target_info(start).is_getitem) {
            const Value* source = graph.argument(start, 0);
            const bool coalesced = source && source->is(ValueKind::node) &&
                                   graph.op(source->node) == NodeOp::call_function &&
                                   graph.target_info(source->node).recognised != CollectiveKind::none;
            if (!coalesced) continue;
            throw InputError("node \"" + std::string(graph.name(source->node)) + "\"",
                             "the graph holds a coalesced collective, and on such graphs PyTorch raises an "
                             "AssertionError (the schema of getitem cannot be normalised)");
        }
        if (graph.target_info(start).recognised == CollectiveKind::none) continue;
        std::uint32_t& place = place_of_start[start];
        if (place == unknown) {
            place = static_cast<std::uint32_t>(collectives.size());
            collectives.push_back({start, wait});
        } else {
            collectives[place].wait = wait;
        }
    }
    return collectives;
}

CollectiveReachability::CollectiveReachability(const Graph& graph, std::span<const RecognisedCollective> collectives)
    : graph_(graph),
      endpoint_index_(graph.node_count(), no_node),
      wait_of_(graph.node_count(), no_node),
      has_collective_ancestor_(graph.node_count()),
      leads_to_start_(graph.node_count()) {
    for (const RecognisedCollective& collective : collectives) {
        wait_of_[collective.start] = collective.wait;
        endpoint_index_[collective.start] = endpoint_index_[collective.wait] = 0;
    }
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (endpoint_index_[node] != no_node) {
            endpoint_index_[node] = static_cast<std::uint32_t>(endpoints_.size());
            endpoints_.push_back(node);
        }
        for (const NodeId input : graph.inputs(node)) {
            if (has_collective_ancestor_[input] || endpoint_index_[input] != no_node) {
                has_collective_ancestor_[node] = true;
                break;
            }
        }
    }
    for (NodeId node = graph.node_count(); node-- > 0;) {
        if (!leads_to_start_[node] && wait_of_[node] == no_node) continue;
        for (const NodeId input : graph.inputs(node)) leads_to_start_[input] = true;
    }
}

bool CollectiveReachability::surely_independent(std::span<const NodeId> starts) const {
    return std::ranges::none_of(starts, [&](NodeId start) { return has_collective_ancestor_[start]; }) ||
           std::ranges::none_of(starts, [&](NodeId start) { return leads_to_start_[start]; });
}

std::vector<std::vector<NodeId>> CollectiveReachability::independent_levels(std::span<const NodeId> starts) {
    if (surely_independent(starts)) return {{starts.begin(), starts.end()}};
    build_ancestors();

    const std::size_t count = starts.size();
    std::vector<std::vector<std::size_t>> successors(count);
    std::vector<std::size_t> missing(count, 0);
    for (std::size_t later = 0; later < count; ++later) {
        const Bits& before = ancestors(endpoint_index_[starts[later]]);
        for (std::size_t earlier = 0; earlier < count; ++earlier) {
            if (!has(before, endpoint_index_[wait_of_[starts[earlier]]])) continue;
            successors[earlier].push_back(later);
            ++missing[later];
        }
    }
    std::vector<std::size_t> level(count, 0), ready;
    for (std::size_t member = 0; member < count; ++member) {
        if (missing[member] == 0) ready.push_back(member);
    }
    std::size_t visited = 0;
    while (!ready.empty()) {
        const std::size_t member = ready.back();
        ready.pop_back();
        ++visited;
        for (const std::size_t successor : successors[member]) {
            level[successor] = std::max(level[successor], level[member] + 1);
            if (--missing[successor] == 0) ready.push_back(successor);
        }
    }
    if (visited != count) {
        throw InputError("node \"" + std::string(graph_.name(starts.front())) + "\"",
                         "collectives of one bucket depend on one another in a circle after earlier merges, and "
                         "PyTorch raises an AssertionError (collective dependency graph must be acyclic)");
    }
    std::vector<std::vector<NodeId>> levels(*std::ranges::max_element(level) + 1);
    for (std::size_t member = 0; member < count; ++member) levels[level[member]].push_back(starts[member]);
    return levels;
}

void CollectiveReachability::plan_merge(std::span<const NodeId> starts) {
    if (starts.size() <= 1) return;
    if (built_ || !surely_independent(starts)) {
        build_ancestors();
        replay_merge(starts);
    } else {
        planned_.emplace_back(starts.begin(), starts.end());
    }
}

void CollectiveReachability::build_ancestors() {
    if (built_) return;
    built_ = true;
    const std::size_t words = (endpoints_.size() + 63) / 64;
    std::vector<Bits> reachable(graph_.node_count());
    ancestors_.resize(endpoints_.size());
    merges_seen_.assign(endpoints_.size(), 0);
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
        Bits bits(words, 0);
        if (has_collective_ancestor_[node]) {
            // An earlier pass may have left an input behind its user; the reference then does not know it yet.
            for (const NodeId input : graph_.inputs(node))
                if (!reachable[input].empty()) unite(bits, reachable[input]);
        }
        const std::uint32_t endpoint = endpoint_index_[node];
        if (endpoint != no_node) {
            ancestors_[endpoint] = bits;
            set(bits, endpoint);
        }
        reachable[node] = std::move(bits);
    }
    for (const std::vector<NodeId>& starts : planned_) replay_merge(starts);
    planned_.clear();
}

void CollectiveReachability::replay_merge(std::span<const NodeId> starts) {
    Merge merge;
    merge.members.assign((endpoints_.size() + 63) / 64, 0);
    for (const NodeId start : starts) set(merge.members, endpoint_index_[start]);
    merge.predecessors = merge.members;
    for (const NodeId start : starts) {
        const std::uint32_t endpoint = endpoint_index_[start];
        const Bits& before = ancestors(endpoint);
        Bits others = merge.members;
        others[endpoint / 64] &= ~(std::uint64_t{1} << (endpoint % 64));
        if (intersect(before, others)) {
            throw InputError("node \"" + std::string(graph_.name(start)) + "\"",
                             "it depends on another member of its bucket, and PyTorch raises an AssertionError (cannot "
                             "merge dependent collective starts)");
        }
        unite(merge.predecessors, before);
    }
    merges_.push_back(std::move(merge));
}

const CollectiveReachability::Bits& CollectiveReachability::ancestors(std::uint32_t endpoint) {
    Bits& bits = ancestors_[endpoint];
    for (std::size_t& seen = merges_seen_[endpoint]; seen < merges_.size(); ++seen) {
        const Merge& merge = merges_[seen];
        if (has(merge.members, endpoint) || intersect(bits, merge.members)) unite(bits, merge.predecessors);
    }
    return bits;
}

}  // namespace overlap
