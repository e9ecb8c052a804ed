#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/advice/advice.h"
#include "core/base/wording.h"
#include "core/search/moves.h"

namespace overlap {
namespace {

/// How far back products are looked for. Layers of 400 nodes are long.
constexpr NodeId most_nodes = 600;

class OvertakingMoves {
  public:
    explicit OvertakingMoves(const Evaluation& evaluation)
        : evaluation_(evaluation), graph_(*evaluation.graph), marks_(graph_.node_count(), 0) {}

    std::vector<Proposal> all() {
        const std::vector<std::size_t> exposed = most_exposed(evaluation_, evaluation_.simulation.collectives.size());
        // Of the exposed time, how much is to be hidden: products that overtake one collective are missing for others.
        for (const double share : {0.5, 1.0}) {
            std::vector<OverlapDirective> earlier, later;
            for (const std::size_t index : exposed) {
                const CollectiveTiming& timing = evaluation_.simulation.collectives[index];
                const std::string name(graph_.name(timing.start));
                if (const NodeId before = product_before(timing, share); before != no_node)
                    earlier.push_back({.collective = name, .start_before = std::string(graph_.name(before))});
                if (const NodeId after = compute_after(timing, share); after != no_node)
                    later.push_back({.collective = name, .wait_after = std::string(graph_.name(after))});
            }
            propose(earlier, {" overtakes products", " overtake products"});
            propose(later,
                    {", and what needs it, waits for other compute", ", and what needs them, wait for other compute"});
        }
        return std::move(proposals_);
    }

  private:
    /// What is done with a collective, in words.
    struct What {
        const char *of_one, *of_several;
    };

    /// The first 2, 4, 8, ... of them.
    void propose(std::span<const OverlapDirective> directives, const What& what) {
        for (std::size_t count = 2; !directives.empty(); count *= 2) {
            const std::size_t taken = std::min(count, directives.size());
            proposals_.push_back({with(directives.first(taken)),
                                  counted(taken, "collective") + (taken == 1 ? what.of_one : what.of_several)});
            if (taken == directives.size()) break;
        }
    }

    /// What is known of a collective's other end stays.
    Plan with(std::span<const OverlapDirective> directives) const {
        Plan plan = evaluation_.resolved->plan;
        std::vector<OverlapDirective>& list = plan.overlaps.list;
        for (const OverlapDirective& directive : directives) {
            const auto known = std::ranges::find(list, directive.collective, &OverlapDirective::collective);
            if (known == list.end()) {
                list.push_back(directive);
                continue;
            }
            known->hide_behind.clear();
            (directive.start_before.empty() ? known->wait_after : known->start_before) =
                directive.start_before.empty() ? directive.wait_after : directive.start_before;
        }
        return plan;
    }

    /// The product that the collective is to start before, so that products take as long behind it as `share` of what
    /// it is exposed; no_node where none can be overtaken. What it needs cannot, nor what earlier collectives of its
    /// group need, which it does not overtake.
    NodeId product_before(const CollectiveTiming& timing, double share) {
        const NodeId first = timing.start > most_nodes ? timing.start - most_nodes : 0;
        ++mark_;
        std::vector<NodeId> pending{timing.start};
        for (const CollectiveTiming& earlier : evaluation_.simulation.collectives) {
            if (earlier.group == timing.group && earlier.start >= first && earlier.start < timing.start)
                pending.push_back(earlier.start);
        }
        for (std::size_t next = 0; next < pending.size(); ++next) {
            for (const NodeId input : graph_.inputs(pending[next])) {
                if (input < first || marks_[input] == mark_) continue;
                marks_[input] = mark_;
                pending.push_back(input);
            }
        }
        NodeId before = no_node;
        double hidden_ms = 0;
        for (NodeId node = timing.start; node-- > first && hidden_ms < share * timing.exposed_ms;) {
            if (marks_[node] == mark_ || !graph_.target_info(node).traits.compute) continue;
            hidden_ms += evaluation_.times_ms[node];
            before = node;
        }
        return before;
    }

    /// The compute that the collective's wait, and all that needs it, is to come after, so that other compute takes as
    /// long as `share` of what it is exposed; no_node where there is none.
    NodeId compute_after(const CollectiveTiming& timing, double share) {
        if (timing.wait == no_node) return no_node;
        ++mark_;
        marks_[timing.wait] = mark_;
        NodeId after = no_node;
        double hidden_ms = 0;
        const NodeId end = std::min(graph_.node_count(), timing.wait + most_nodes);
        for (NodeId node = timing.wait + 1; node < end && hidden_ms < share * timing.exposed_ms; ++node) {
            const auto is_marked = [&](NodeId input) { return marks_[input] == mark_; };
            if (std::ranges::any_of(graph_.inputs(node), is_marked)) {
                marks_[node] = mark_;
            } else if (graph_.target_info(node).traits.compute) {
                hidden_ms += evaluation_.times_ms[node];
                after = node;
            }
        }
        return after;
    }

    const Evaluation& evaluation_;
    const Graph& graph_;
    std::vector<Proposal> proposals_;
    std::vector<std::uint32_t> marks_;  ///< of a node: the last mark that it was given
    std::uint32_t mark_ = 0;
};

}  // namespace

std::vector<Proposal> overtaking_moves(const Evaluation& evaluation) {
    return OvertakingMoves(evaluation).all();
}

}  // namespace overlap
