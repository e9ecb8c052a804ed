#include <algorithm>
#include <array>
#include <string>

#include "core/advice/advice.h"
#include "core/base/wording.h"
#include "core/search/moves.h"

namespace overlap {
namespace {

class OverlapMoves {
  public:
    explicit OverlapMoves(const Evaluation& evaluation) : evaluation_(evaluation), graph_(*evaluation.graph) {
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (evaluation.times_ms[node] > 0 && evaluation.simulation.on_compute(node) &&
                !graph_.target_info(node).is_wait)
                compute_.push_back(node);
        }
    }

    std::vector<Proposal> all() {
        const std::vector<std::size_t> exposed = most_exposed(evaluation_, evaluation_.simulation.collectives.size());
        std::vector<Proposal> proposals;
        struct Way {
            const char *of_one, *of_several;
            bool earlier, later;
        };
        constexpr std::array<Way, 3> ways = {
            {{"starts earlier", "start earlier", true, false},
             {"is waited for later", "are waited for later", false, true},
             {"starts earlier, waited for later", "start earlier, waited for later", true, true}}};
        for (const Way& way : ways) {
            for (std::size_t count = 2;; count *= 2) {
                const std::size_t taken = std::min(count, exposed.size());
                Plan plan = evaluation_.resolved->plan;
                std::size_t changed = 0;
                for (std::size_t index = 0; index < taken; ++index)
                    changed += change(plan, evaluation_.simulation.collectives[exposed[index]], way.earlier, way.later);
                if (changed > 0)
                    proposals.push_back({std::move(plan), counted(changed, "collective") + ' ' +
                                                              (changed == 1 ? way.of_one : way.of_several)});
                if (taken == exposed.size()) break;
            }
        }
        return proposals;
    }

  private:
    bool change(Plan& plan, const CollectiveTiming& timing, bool earlier, bool later) const {
        const std::string name(graph_.name(timing.start));
        std::string before, after;
        if (earlier && timing.start_before != no_node) before = graph_.name(timing.start_before);
        if (later && timing.wait != no_node) {
            const NodeId last = last_before_use(timing.wait);
            if (last != no_node) after = graph_.name(last);
        }
        if (before.empty() && after.empty()) return false;
        std::vector<OverlapDirective>& list = plan.overlaps.list;
        auto known = std::ranges::find(list, name, &OverlapDirective::collective);
        if (known == list.end()) {
            list.push_back({.collective = name});
            known = list.end() - 1;
        }
        known->hide_behind.clear();
        if (!before.empty()) known->start_before = before;
        if (!after.empty()) known->wait_after = after;
        return true;
    }

    /// The last compute before the first node that takes time and needs the wait; no_node where none is between.
    NodeId last_before_use(NodeId wait) const {
        std::vector<NodeId> pending{wait};
        NodeId first = graph_.node_count();
        constexpr std::size_t most_nodes = 256;
        for (std::size_t next = 0; next < pending.size(); ++next) {
            if (pending.size() > most_nodes) return no_node;
            for (const NodeId user : graph_.users(pending[next])) {
                const bool takes_time = evaluation_.times_ms[user] > 0 ||
                                        evaluation_.simulation.collective_of_node[user] >= 0 ||
                                        graph_.op(user) == NodeOp::output;
                if (takes_time) {
                    first = std::min(first, user);
                } else if (std::ranges::find(pending, user) == pending.end()) {
                    pending.push_back(user);
                }
            }
        }
        const auto behind = std::ranges::lower_bound(compute_, first);
        if (behind == compute_.begin()) return no_node;
        const NodeId last = *(behind - 1);
        return last > wait ? last : no_node;
    }

    const Evaluation& evaluation_;
    const Graph& graph_;
    std::vector<NodeId> compute_;  ///< nodes that take time on the compute stream, in order
};

}  // namespace

std::vector<Proposal> overlap_moves(const Evaluation& evaluation) {
    return OverlapMoves(evaluation).all();
}

std::vector<Proposal> advice_moves(const std::shared_ptr<const Evaluation>& evaluation, std::size_t first,
                                   std::size_t most, bool any_order, const std::stop_token& stop) {
    std::vector<Proposal> proposals;
    const std::vector<std::size_t> exposed = most_exposed(*evaluation, first + most);
    for (std::size_t index = first; index < exposed.size() && !stop.stop_requested(); ++index) {
        for (Advice& advice : advice_for(evaluation, exposed[index]))
            // A search keeps the order of heavy compute, which its bound is for, unless any order may be.
            if (any_order || !advice.moves_dependents)
                proposals.push_back({std::move(advice.plan), std::move(advice.text)});
    }
    return proposals;
}

}  // namespace overlap
