#include "core/passes/overlap_scheduling/static_ancestors.h"

namespace overlap::scheduling {

StaticAncestors::StaticAncestors(const Graph& graph, const CollectiveTable& table, std::span<const NodeId> order)
    : graph_(graph),
      table_(table),
      order_(order),
      positions_(graph.node_count()),
      words_((table.collectives.size() + 63) / 64) {
    for (std::uint32_t position = 0; position < order.size(); ++position) positions_[order[position]] = position;
    collect_fixed();
    // One sweep, as in the reference: of something that comes later in the schedule only itself is known.
    before_.resize(2 * words_ * graph.node_count());
    for (const NodeId node : order) {
        std::uint64_t* const bits = row_of(before_, node);
        const auto add = [&](NodeId parent) {
            unite(bits, row_of(before_, parent));
            add_own(bits, parent);
        };
        for (const NodeId input : graph.inputs(node)) add(input);
        for (const NodeId fixed : fixed_before(node)) {
            add(fixed);
            contradicts_schedule_ |= positions_[fixed] > positions_[node];
        }
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
    behind_.resize(before_.size());
    // A node that has to come before one that the schedule runs earlier is known to that one alone, so what lies
    // behind such a pair is added when the sweep is over.
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
