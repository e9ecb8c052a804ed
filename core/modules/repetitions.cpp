#include "core/modules/repetitions.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/word_hash.h"

namespace overlap {

namespace {

/// Periods that are looked at for each stretch.
constexpr std::size_t periods_tried = 12;
/// Stretches that are looked for: forward, backward, and parts of a model with other blocks.
constexpr std::size_t most_repetitions = 6;
/// Beginnings that are looked at for each stretch, those with the fewest values passing.
constexpr std::size_t beginnings_tried = 64;
/// A repetition at the border that differs in no more than one of so many nodes counts as a whole one.
constexpr std::uint32_t differing_share = 16;
/// Nodes in a row that are alike again behind a difference.
constexpr std::uint32_t alike_again = 4;

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
            best = with_best_beginning(best);
            const NodeId begin = best.first - (best.whole_before ? best.nearly_before : 0);
            const NodeId end = best.end() + (best.whole_behind ? best.nearly_behind : 0);
            std::fill(taken_.begin() + begin, taken_.begin() + end, true);
            found.push_back(best);
        }
        for (Repetition& repetition : found) look_around(repetition);
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
            while (end + period < count && is_like_next(end, period)) ++end;
            if (end - begin >= period) take_better(best, {begin, period, (end - begin) / period + 1});
            begin = end + 1;
        }
        return best;
    }

    bool is_like_next(NodeId node, std::uint32_t period) const {
        return counts(node) && counts(node + period) && kinds_[node] == kinds_[node + period];
    }

    /// The same stretch, begun up to a period later.
    Repetition with_best_beginning(const Repetition& stretch) const {
        NodeId end = stretch.end();
        while (end < graph_.node_count() && is_like_next(end - stretch.period, stretch.period)) ++end;
        std::vector<NodeId> beginnings;
        for (NodeId first = stretch.first; first < stretch.first + stretch.period; ++first)
            if (end - first >= 2 * stretch.period) beginnings.push_back(first);
        std::ranges::stable_sort(beginnings, {}, [&](NodeId first) { return passing_[first]; });
        if (beginnings.size() > beginnings_tried) beginnings.resize(beginnings_tried);
        const auto whole = [](const Repetition& one) {
            return one.count + (one.whole_before ? 1 : 0) + (one.whole_behind ? 1 : 0);
        };
        Repetition best;
        for (const NodeId first : beginnings) {
            Repetition candidate{first, stretch.period, (end - first) / stretch.period};
            look_around(candidate);
            if (whole(candidate) > whole(best)) best = candidate;
        }
        return best;
    }

    /// Finds what is nearly like a repetition before the first and behind the last one. What was found whole stays.
    void look_around(Repetition& repetition) const {
        if (!repetition.whole_before)
            std::tie(repetition.nearly_before, repetition.whole_before) = nearly_like(
                repetition.period, [&](std::int64_t at) { return repetition.first - 1 - at; },
                [&](std::int64_t at) { return repetition.first + repetition.period - 1 - at; });
        if (!repetition.whole_behind)
            std::tie(repetition.nearly_behind, repetition.whole_behind) = nearly_like(
                repetition.period, [&](std::int64_t at) { return repetition.end() + at; },
                [&](std::int64_t at) { return repetition.first + at; });
    }

    /// How many nodes at `place` are like those at `pattern` or stand between such; and whether that is a whole period.
    /// @param place, pattern the nodes by number, away from the border between the two.
    template <typename Place, typename Pattern>
    std::pair<std::uint32_t, bool> nearly_like(std::uint32_t period, Place&& place, Pattern&& pattern) const {
        const auto alike = [&](std::int64_t at, std::int64_t of_pattern) {
            const std::int64_t node = place(at);
            return of_pattern < period && node >= 0 && node < graph_.node_count() &&
                   counts(static_cast<NodeId>(node)) && kinds_[node] == kinds_[pattern(of_pattern)];
        };
        const auto alike_run = [&](std::int64_t at, std::int64_t of_pattern) {
            for (std::uint32_t more = 0; more < alike_again; ++more)
                if (!alike(at + more, of_pattern + more)) return false;
            return true;
        };
        const std::uint32_t most_differing = period / differing_share;
        std::uint32_t differing = 0, at = 0, of_pattern = 0;
        const auto skip = [&] {
            for (std::uint32_t skipped = 1; differing + skipped <= most_differing; ++skipped) {
                for (std::uint32_t of_place = 0; of_place <= skipped; ++of_place) {
                    if (!alike_run(at + of_place, of_pattern + skipped - of_place)) continue;
                    at += of_place;
                    of_pattern += skipped - of_place;
                    differing += skipped;
                    return true;
                }
            }
            return false;
        };
        while (of_pattern < period && (alike(at, of_pattern) || skip())) {
            ++at;
            ++of_pattern;
        }
        return {at, period - of_pattern + differing <= most_differing};
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
        WordHash kind;
        kind.add(graph.record(node).target);
        kind.add(static_cast<std::uint64_t>(graph.op(node)));
        kind.add(graph.inputs(node).size());
        for (const TensorMeta& tensor : graph.outputs(node)) {
            kind.add(tensor.is_tensor ? static_cast<std::uint64_t>(tensor.dtype) + 1 : 0);
            if (!tensor.is_tensor) continue;
            for (const std::int64_t size : graph.shape(tensor)) kind.add(static_cast<std::uint64_t>(size));
        }
        kinds[node] = kind.value();
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
