#include "core/job/step/deadlock.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/grouped_number.h"

namespace overlap::job {

namespace {

class Stuck {
  public:
    Stuck(const StepGraph& graph, const StepOrder& order) : graph_(graph), order_(order) {}

    /// Everything before it on its own rank has ended.
    bool issued(NodeIndex node) const {
        for (std::uint32_t i = graph_.first_dependency(node); i < graph_.first_dependency(node + 1); ++i) {
            const NodeIndex on = graph_.on()[i];
            if (!order_.done[on] && graph_.rank(on) == graph_.rank(node)) return false;
        }
        return true;
    }
    bool can_meet(NodeIndex node) const {
        for (std::uint32_t i = graph_.first_dependency(node); i < graph_.first_dependency(node + 1); ++i)
            if (!order_.done[graph_.on()[i]]) return false;
        return true;
    }

    /// The `position`-th node that a stuck node waits for; node_count where there are no more. Before it is issued it
    /// waits for its own rank alone.
    NodeIndex wait(NodeIndex node, std::uint32_t& position) const {
        const std::uint32_t own = graph_.first_dependency(node + 1) - graph_.first_dependency(node);
        const bool is_issued = issued(node);
        while (position < own) {
            const NodeIndex on = graph_.on()[graph_.first_dependency(node) + position++];
            if (!order_.done[on] && (is_issued || graph_.rank(on) == graph_.rank(node))) return on;
        }
        const std::uint32_t rendezvous = graph_.rendezvous_of(node);
        if (rendezvous == no_rendezvous || !can_meet(node)) return graph_.node_count();
        const std::span<const NodeIndex> members = graph_.members(rendezvous);
        while (position - own < members.size()) {
            const NodeIndex member = members[position++ - own];
            if (member != node && !can_meet(member)) return member;
        }
        return graph_.node_count();
    }

    /// A circle of nodes, each of which waits for the next; empty where there is none.
    std::vector<NodeIndex> circle() const {
        enum : std::uint8_t { unseen, open, closed };
        std::vector<std::uint8_t> state(graph_.node_count(), unseen);
        struct Visit {
            NodeIndex node;
            std::uint32_t position;
        };
        std::vector<Visit> way;
        for (NodeIndex from = 0; from < graph_.node_count(); ++from) {
            if (order_.done[from] || state[from] != unseen) continue;
            way.push_back({from, 0});
            state[from] = open;
            while (!way.empty()) {
                const NodeIndex on = wait(way.back().node, way.back().position);
                if (on == graph_.node_count()) {
                    state[way.back().node] = closed;
                    way.pop_back();
                } else if (state[on] == open) {
                    const auto begin =
                        std::find_if(way.begin(), way.end(), [&](const Visit& visit) { return visit.node == on; });
                    std::vector<NodeIndex> found;
                    for (auto visit = begin; visit != way.end(); ++visit) found.push_back(visit->node);
                    return found;
                } else if (state[on] == unseen) {
                    state[on] = open;
                    way.push_back({on, 0});
                }
            }
        }
        return {};
    }

  private:
    const StepGraph& graph_;
    const StepOrder& order_;
};

/// Circles and lists in messages are cut here; the lists themselves are longer.
constexpr std::size_t most_told = 8;

/// @param count how many there are, of which `ops` may be the first.
std::string told(const std::vector<OpOnRank>& ops, std::size_t count, std::string_view between,
                 const std::function<std::string(const OpOnRank&)>& text) {
    std::string all;
    for (std::size_t i = 0; i < ops.size() && i < most_told; ++i) all.append(i ? between : "").append(text(ops[i]));
    if (count > most_told) all.append(" and " + grouped_text(static_cast<double>(count - most_told)) + " more");
    return all;
}

JobProblem circle_problem(std::vector<NodeIndex> circle, const NodeNames& names) {
    // Waits within a rank are left out, as of an operation behind another one.
    std::vector<NodeIndex> between_ranks;
    for (std::size_t i = 0; i < circle.size(); ++i)
        if (names.rank(circle[i]) != names.rank(circle[(i + 1) % circle.size()])) between_ranks.push_back(circle[i]);
    if (!between_ranks.empty()) circle = std::move(between_ranks);
    // Told from the lowest rank on.
    std::rotate(circle.begin(),
                std::min_element(circle.begin(), circle.end(),
                                 [&](NodeIndex a, NodeIndex b) { return names.rank(a) < names.rank(b); }),
                circle.end());
    JobProblem problem;
    // A batch is several nodes: where it begins, its parts, and where it ends.
    const auto same = [](const OpOnRank& a, const OpOnRank& b) { return a.rank == b.rank && a.op == b.op; };
    for (const NodeIndex node : circle) {
        OpOnRank op{names.rank(node), names.op(node), -1};
        if (problem.cycle.empty() || !same(problem.cycle.back(), op)) problem.cycle.push_back(std::move(op));
    }
    while (problem.cycle.size() > 1 && same(problem.cycle.front(), problem.cycle.back())) problem.cycle.pop_back();
    const auto text = [](const OpOnRank& op) { return "rank " + std::to_string(op.rank) + " in " + op.op; };
    problem.message = "nothing can go on: " + told(problem.cycle, problem.cycle.size(), ", which waits for ", text) +
                      ", which waits for " + (problem.cycle.size() > 1 ? text(problem.cycle.front()) : "itself");
    return problem;
}

}  // namespace

std::vector<JobProblem> deadlocks(const StepGraph& graph, const StepOrder& order, const NodeNames& names,
                                  const AbsentRanks& absent) {
    const Stuck stuck(graph, order);
    if (std::vector<NodeIndex> circle = stuck.circle(); !circle.empty())
        return {circle_problem(std::move(circle), names)};
    JobProblem problem;
    std::size_t missing = 0;
    for (std::uint32_t rendezvous = 0; rendezvous < graph.rendezvous_count(); ++rendezvous) {
        if (graph.complete(rendezvous)) continue;
        std::vector<std::int64_t> ranks;
        for (const NodeIndex node : graph.members(rendezvous)) {
            if (order.done[node] || !stuck.can_meet(node)) continue;
            if (ranks.empty()) ranks = absent(rendezvous);
            missing += ranks.size();
            for (const std::int64_t rank : ranks)
                if (problem.missing.size() < most_missing)
                    problem.missing.push_back({names.rank(node), names.op(node), rank});
        }
    }
    std::sort(problem.missing.begin(), problem.missing.end(), [](const OpOnRank& a, const OpOnRank& b) {
        return std::tie(a.rank, a.op, a.peer) < std::tie(b.rank, b.op, b.peer);
    });
    problem.message = "nothing can go on: " + told(problem.missing, missing, "; ", [](const OpOnRank& op) {
                          return "rank " + std::to_string(op.rank) + " in " + op.op + " waits for rank " +
                                 std::to_string(op.peer) + ", which has no such operation left";
                      });
    return {problem};
}

}  // namespace overlap::job
