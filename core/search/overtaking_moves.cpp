#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/advice/advice.h"
#include "core/search/moves.h"

namespace overlap {
namespace {

/// How far back products are looked for. Layers of 400 nodes are long.
constexpr NodeId most_nodes = 600;

class OvertakingMoves {
  public:
    explicit OvertakingMoves(const Evaluation& evaluation)
        : evaluation_(evaluation), graph_(*evaluation.graph), needed_for_(graph_.node_count(), 0) {}

    std::vector<Proposal> all() {
        const std::vector<std::size_t> exposed = most_exposed(evaluation_, evaluation_.simulation.collectives.size());
        std::vector<Proposal> proposals;
        // Of the exposed time, how much is to be hidden: products that overtake one collective are missing for others.
        for (const double share : {0.5, 1.0}) {
            std::vector<OverlapDirective> directives;
            for (const std::size_t index : exposed) {
                const NodeId before = product_before(evaluation_.simulation.collectives[index], share);
                if (before == no_node) continue;
                directives.push_back(
                    {.collective = std::string(graph_.name(evaluation_.simulation.collectives[index].start)),
                     .start_before = std::string(graph_.name(before))});
            }
            for (std::size_t count = 2; !directives.empty(); count *= 2) {
                const std::size_t taken = std::min(count, directives.size());
                proposals.push_back({with(std::span(directives).first(taken)),
                                     std::to_string(taken) + " collectives overtake products"});
                if (taken == directives.size()) break;
            }
        }
        return proposals;
    }

  private:
    Plan with(std::span<const OverlapDirective> directives) const {
        Plan plan = evaluation_.resolved->plan;
        std::vector<OverlapDirective>& list = plan.overlaps.list;
        for (const OverlapDirective& directive : directives) {
            std::erase_if(list,
                          [&](const OverlapDirective& known) { return known.collective == directive.collective; });
            list.push_back(directive);
        }
        return plan;
    }

    /// The product that the collective is to start before, so that products take as long behind it as `share` of what
    /// it is exposed; no_node where none can be overtaken. What it needs cannot, nor what earlier collectives of its
    /// group need, which it does not overtake.
    NodeId product_before(const CollectiveTiming& timing, double share) {
        const NodeId first = timing.start > most_nodes ? timing.start - most_nodes : 0;
        ++marked_;
        std::vector<NodeId> pending{timing.start};
        for (const CollectiveTiming& earlier : evaluation_.simulation.collectives) {
            if (earlier.group == timing.group && earlier.start >= first && earlier.start < timing.start)
                pending.push_back(earlier.start);
        }
        for (std::size_t next = 0; next < pending.size(); ++next) {
            for (const NodeId input : graph_.inputs(pending[next])) {
                if (input < first || needed_for_[input] == marked_) continue;
                needed_for_[input] = marked_;
                pending.push_back(input);
            }
        }
        NodeId before = no_node;
        double hidden_ms = 0;
        for (NodeId node = timing.start; node-- > first && hidden_ms < share * timing.exposed_ms;) {
            if (needed_for_[node] == marked_ || !graph_.target_info(node).traits.compute) continue;
            hidden_ms += evaluation_.times_ms[node];
            before = node;
        }
        return before;
    }

    const Evaluation& evaluation_;
    const Graph& graph_;
    std::vector<std::uint32_t> needed_for_;  ///< of a node: the last mark that it was given
    std::uint32_t marked_ = 0;
};

}  // namespace

std::vector<Proposal> overtaking_moves(const Evaluation& evaluation) {
    return OvertakingMoves(evaluation).all();
}

}  // namespace overlap
