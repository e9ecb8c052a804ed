#include "core/passes/scheduling/static_ancestors.h"

namespace overlap::scheduling {

StaticAncestors::StaticAncestors(const Graph& graph, const CollectiveTable& table, std::span<const NodeId> order)
    : graph_(graph),
      table_(table),
      order_(order),
      positions_(graph.node_count()),
      words_((table.collectives.size() + 63) / 64),
      starts_{SharedSets(table.collectives.size()), {}},
      waits_{SharedSets(table.collectives.size()), {}} {
    for (std::uint32_t position = 0; position < order.size(); ++position) positions_[order[position]] = position;
    collect_fixed();
    find_before(starts_, table.by_start);
    std::vector<Index> first_waits(graph.node_count(), no_index);
    for (Index index = 0; index < table.collectives.size(); ++index) {
        first_waits[table.collectives[index].wait] = index;
    }
    find_before(waits_, first_waits);
}

/// One sweep, as in the reference: of a node that comes later in the schedule only the node itself is known.
/// @param numbers by node: the collective that it starts, or waits for first; or no_index.
void StaticAncestors::find_before(Ancestors& ancestors, const std::vector<Index>& numbers) {
    SharedSets& sets = ancestors.sets;
    ancestors.by_node.resize(graph_.node_count());
    std::vector<SharedSets::Set> through(graph_.node_count());  // with the node itself
    for (const NodeId node : order_) {
        sets.begin();
        for (const NodeId input : graph_.inputs(node)) sets.unite(through[input]);
        for (const NodeId fixed : fixed_before(node)) {
            if (positions_[fixed] > positions_[node]) {
                contradicts_schedule_ = true;
                if (numbers[fixed] != no_index) sets.add(numbers[fixed]);
            } else {
                sets.unite(through[fixed]);
            }
        }
        ancestors.by_node[node] = through[node] = sets.end();
        if (numbers[node] == no_index) continue;
        sets.begin();
        sets.unite(through[node]);
        sets.add(numbers[node]);
        through[node] = sets.end();
    }
}

void StaticAncestors::collect_fixed() {
    std::vector<std::uint32_t> counts(graph_.node_count() + 1);
    for (const Collective& collective : table_.collectives) {
        if (collective.exposed_ms != 0) continue;
        for (const NodeId hiding : collective.hiding) ++counts[hiding + 1];
        counts[collective.wait + 1] += static_cast<std::uint32_t>(collective.hiding.size());
    }
    for (std::size_t node = 1; node < counts.size(); ++node) counts[node] += counts[node - 1];
    fixed_offsets_ = counts;
    fixed_.resize(counts.back());
    for (const Collective& collective : table_.collectives) {
        if (collective.exposed_ms != 0) continue;
        for (const NodeId hiding : collective.hiding) {
            fixed_[counts[hiding]++] = collective.start;
            fixed_[counts[collective.wait]++] = hiding;
        }
    }
}

/// The bit of a node that is a collective's start or first wait.
void StaticAncestors::add_own(std::uint64_t* row, NodeId node) const {
    if (const Index index = table_.by_start[node]; index != no_index) row[index / 64] |= std::uint64_t{1} << index % 64;
    const Index index = table_.by_wait[node];
    if (index != no_index && table_.collectives[index].wait == node) {
        row[words_ + index / 64] |= std::uint64_t{1} << index % 64;
    }
}

void StaticAncestors::unite(std::uint64_t* into, const std::uint64_t* from) const {
    for (std::size_t word = 0; word < 2 * words_; ++word) into[word] |= from[word];
}

void StaticAncestors::find_behind() {
    behind_.resize(2 * words_ * graph_.node_count());
    // A node that has to come before one that the schedule runs earlier is known only to that node, so what follows
    // such a pair is added after the sweep.
    std::vector<std::pair<NodeId, NodeId>> contradictions;
    for (std::size_t position = order_.size(); position-- > 0;) {
        const NodeId node = order_[position];
        const auto add_to = [&](NodeId parent) {
            if (positions_[parent] > position) {
                contradictions.emplace_back(parent, node);
                return;
            }
            unite(row_of(behind_, parent), row_of(behind_, node));
            add_own(row_of(behind_, parent), node);
        };
        for (const NodeId input : graph_.inputs(node)) add_to(input);
        for (const NodeId fixed : fixed_before(node)) add_to(fixed);
    }
    const Bits swept = contradictions.empty() ? Bits() : behind_;
    for (const auto& [parent, node] : contradictions) {
        unite(row_of(behind_, parent), swept.data() + 2 * words_ * node);
        add_own(row_of(behind_, parent), node);
    }
}

std::span<const std::uint64_t> StaticAncestors::starts_behind(NodeId node) {
    if (behind_.empty()) find_behind();
    return {row_of(behind_, node), words_};
}

std::span<const std::uint64_t> StaticAncestors::waits_behind(NodeId node) {
    if (behind_.empty()) find_behind();
    return {row_of(behind_, node) + words_, words_};
}

}  // namespace overlap::scheduling
