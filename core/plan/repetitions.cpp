#include "core/plan/repetitions.h"

#include <algorithm>
#include <unordered_map>

namespace overlap {

namespace {

/// Periods that are looked at for each stretch.
constexpr std::size_t periods_tried = 12;
/// Stretches that are looked for: forward, backward, and parts of a model with other blocks.
constexpr std::size_t most_repetitions = 6;

std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
    state = (state ^ word) * 0x9e3779b97f4a7c15u;
    return state ^ (state >> 29);
}

class Search {
  public:
    Search(const Graph& graph, std::uint32_t shortest)
        : graph_(graph), shortest_(shortest), kinds_(node_kinds(graph)), taken_(graph.node_count(), false) {
        count_passing_values();
    }

    std::vector<Repetition> run() {
        std::vector<Repetition> found;
        while (found.size() < most_repetitions) {
            Repetition best;
            for (const std::uint32_t period : likely_periods()) take_better(best, longest_with(period));
            if (best.count < 2) break;
            std::fill(taken_.begin() + best.first, taken_.begin() + best.end(), true);
            found.push_back(best);
        }
        return found;
    }

  private:
    bool counts(NodeId node) const { return !taken_[node] && graph_.op(node) == NodeOp::call_function; }

    /// passing_[node]: values made before `node` and used there or later.
    void count_passing_values() {
        std::vector<std::int32_t> change(graph_.node_count() + 1, 0);
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (graph_.op(node) != NodeOp::call_function || graph_.users(node).empty()) continue;
            NodeId last = no_node;
            for (const NodeId user : graph_.users(node))
                if (graph_.op(user) != NodeOp::output && (last == no_node || user > last)) last = user;
            if (last == no_node || last <= node) continue;
            ++change[node + 1];
            --change[last + 1];
        }
        passing_.resize(graph_.node_count() + 1);
        std::int32_t passing = 0;
        for (std::size_t at = 0; at < change.size(); ++at) passing_[at] = passing += change[at];
    }

    /// Distances between neighbouring nodes of one kind, by how many nodes have them, where nothing is taken yet.
    std::vector<std::uint32_t> likely_periods() const {
        std::unordered_map<std::uint64_t, NodeId> last;
        std::unordered_map<std::uint32_t, std::uint32_t> votes;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (!counts(node)) continue;
            const auto [before, added] = last.try_emplace(kinds_[node], node);
            if (!added && node - before->second >= shortest_) ++votes[node - before->second];
            before->second = node;
        }
        std::vector<std::pair<std::uint32_t, std::uint32_t>> ranked;  // negative order of votes, period
        for (const auto& [period, count] : votes) ranked.emplace_back(count, period);
        std::ranges::sort(ranked, [](const auto& left, const auto& right) {
            return left.first != right.first ? left.first > right.first : left.second < right.second;
        });
        std::vector<std::uint32_t> periods;
        for (const auto& [count, period] : ranked) {
            if (periods.size() == periods_tried) break;
            periods.push_back(period);
        }
        return periods;
    }

    /// The longest stretch in which each node is of the kind of the one a period later.
    Repetition longest_with(std::uint32_t period) const {
        Repetition best;
        const NodeId count = graph_.node_count();
        for (NodeId begin = 0; begin + period < count;) {
            NodeId end = begin;
            while (end + period < count && counts(end) && counts(end + period) && kinds_[end] == kinds_[end + period])
                ++end;
            if (end - begin >= period) take_better(best, {begin, period, (end - begin) / period + 1}, end - begin);
            begin = end + 1;
        }
        return best;
    }

    /// @param alike nodes from the beginning that are like those a period later: what the whole repetitions leave over
    /// is room to choose where the first one begins.
    void take_better(Repetition& best, Repetition candidate, NodeId alike) const {
        const NodeId room = alike % candidate.period;
        const auto narrowest =
            std::min_element(passing_.begin() + candidate.first, passing_.begin() + candidate.first + room + 1);
        candidate.first = static_cast<NodeId>(narrowest - passing_.begin());
        take_better(best, candidate);
    }

    static void take_better(Repetition& best, const Repetition& candidate) {
        const auto covered = [](const Repetition& one) { return one.period * one.count; };
        const bool more = covered(candidate) > covered(best);
        const bool finer = covered(candidate) == covered(best) && candidate.period < best.period;
        if (candidate.count >= 2 && (more || finer)) best = candidate;
    }

    const Graph& graph_;
    std::uint32_t shortest_;
    std::vector<std::uint64_t> kinds_;
    std::vector<bool> taken_;
    std::vector<std::int32_t> passing_;
};

}  // namespace

std::vector<std::uint64_t> node_kinds(const Graph& graph) {
    std::vector<std::uint64_t> kinds(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        std::uint64_t kind = mixed(graph.record(node).target, static_cast<std::uint64_t>(graph.op(node)));
        kind = mixed(kind, graph.inputs(node).size());
        for (const TensorMeta& tensor : graph.outputs(node)) {
            kind = mixed(kind, tensor.is_tensor ? static_cast<std::uint64_t>(tensor.dtype) + 1 : 0);
            if (!tensor.is_tensor) continue;
            for (const std::int64_t size : graph.shape(tensor)) kind = mixed(kind, static_cast<std::uint64_t>(size));
        }
        kinds[node] = kind;
    }
    return kinds;
}

NodeId first_difference(const std::vector<std::uint64_t>& kinds, const Repetition& repetition) {
    for (std::uint64_t at = repetition.period; at < std::uint64_t{repetition.period} * repetition.count; ++at) {
        const std::uint64_t node = repetition.first + at;
        if (node >= kinds.size() || kinds[node] != kinds[node - repetition.period]) return static_cast<NodeId>(node);
    }
    return no_node;
}

std::vector<Repetition> find_repetitions(const Graph& graph, std::uint32_t shortest) {
    return Search(graph, shortest).run();
}

}  // namespace overlap
