#include "core/layout/layering.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace overlap {
namespace {

constexpr std::uint32_t unranked = std::numeric_limits<std::uint32_t>::max();

std::uint32_t distance(std::uint32_t a, std::uint32_t b) {
    return a > b ? a - b : b - a;
}

class RankAssigner {
  public:
    RankAssigner(const LevelGraph& graph, const LevelLayoutOptions& options) : graph_(graph), options_(options) {}

    Layering run() {
        result_.use.assign(graph_.edges.size(), Layering::Use::stub);
        for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge)
            if (flows(graph_.edges[edge])) result_.use[edge] = Layering::Use::flowing;
        rank_all();
        // Ranks of the first round show what reaches too far; the second round does without it.
        drop_fans();
        drop_long();
        rank_all();
        drop_long();
        place_beside();
        find_alone();
        close_empty_ranks();
        return std::move(result_);
    }

  private:
    /// Edges along the order of execution within one column; the others close cycles or cross over.
    bool flows(const LevelGraph::Edge& edge) const {
        return edge.from < edge.to && graph_.nodes[edge.from].backward == graph_.nodes[edge.to].backward;
    }

    template <typename Visit>
    void for_flowing(Visit&& visit) const {
        for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge)
            if (result_.use[edge] == Layering::Use::flowing) visit(graph_.edges[edge].from, graph_.edges[edge].to);
    }

    /// Edges by their target, so that one pass in the order of execution finds the longest paths.
    void rank_all() {
        const auto count = static_cast<std::uint32_t>(graph_.nodes.size());
        std::vector<std::vector<std::uint32_t>> inputs(count), outputs(count);
        for_flowing([&](std::uint32_t from, std::uint32_t to) {
            inputs[to].push_back(from);
            outputs[from].push_back(to);
        });
        std::vector<std::uint32_t>& rank = result_.rank;
        rank.assign(count, 0);
        bool columns = false;
        for (std::uint32_t node = 0; node < count; ++node) {
            if (graph_.nodes[node].backward) continue;
            columns |= !graph_.nodes[node].apart;  // inputs alone are no column to stand beside
            for (const std::uint32_t input : inputs[node]) rank[node] = std::max(rank[node], rank[input] + 1);
        }
        // What only feeds others comes down to where it is needed.
        for (std::uint32_t node = count; node-- > 0;) {
            if (graph_.nodes[node].backward || !inputs[node].empty() || outputs[node].empty()) continue;
            std::uint32_t nearest = unranked;
            for (const std::uint32_t output : outputs[node]) nearest = std::min(nearest, rank[output]);
            rank[node] = nearest - 1;
        }
        result_.rank_count = count == 0 ? 0 : 1 + *std::max_element(rank.begin(), rank.end());
        columns ? rank_beside_forward(inputs) : rank_upwards(inputs);
    }

    /// A level of backward boxes alone: the last one to run is above.
    void rank_upwards(const std::vector<std::vector<std::uint32_t>>& inputs) {
        std::vector<std::uint32_t>& rank = result_.rank;
        for (std::uint32_t node = 0; node < rank.size(); ++node)
            for (const std::uint32_t input : inputs[node]) rank[node] = std::max(rank[node], rank[input] + 1);
        const std::uint32_t highest = rank.empty() ? 0 : *std::max_element(rank.begin(), rank.end());
        for (std::uint32_t& row : rank) row = highest - row;
        result_.rank_count = rank.empty() ? 0 : highest + 1;
    }

    /// Backward boxes share the ranks of their twins; the others come above what they consume, if need be above all
    /// that is forward.
    void rank_beside_forward(const std::vector<std::vector<std::uint32_t>>& inputs) {
        std::vector<std::int64_t> rank(result_.rank.begin(), result_.rank.end());
        for (std::uint32_t node = 0; node < rank.size(); ++node) {
            if (!graph_.nodes[node].backward) continue;
            if (const std::uint32_t twin = graph_.nodes[node].twin; twin != LevelGraph::no_node) {
                rank[node] = rank[twin];
                continue;
            }
            std::int64_t highest = result_.rank_count;
            for (const std::uint32_t input : inputs[node]) highest = std::min(highest, rank[input]);
            rank[node] = highest - 1;
        }
        const std::int64_t above = std::max<std::int64_t>(0, -*std::ranges::min_element(rank));
        std::ranges::transform(rank, result_.rank.begin(),
                               [above](std::int64_t row) { return static_cast<std::uint32_t>(row + above); });
        result_.rank_count += static_cast<std::uint32_t>(above);
    }

    void drop_fans() {
        const std::size_t count = graph_.nodes.size();
        struct Fan {
            std::uint32_t edges = 0, lowest = unranked, highest = 0, nearest = unranked, near = 0;
        };
        std::vector<Fan> out(count), in(count);
        const auto reach = [&](Fan& fan, std::uint32_t node, std::uint32_t other) {
            ++fan.edges;
            fan.lowest = std::min(fan.lowest, result_.rank[other]);
            fan.highest = std::max(fan.highest, result_.rank[other]);
            if (graph_.nodes[node].backward != graph_.nodes[other].backward) return;
            const std::uint32_t away = distance(result_.rank[node], result_.rank[other]);
            if (away < fan.nearest) fan.near = 0;
            fan.nearest = std::min(fan.nearest, away);
            fan.near += away == fan.nearest;
        };
        for (const LevelGraph::Edge& edge : graph_.edges) {
            reach(out[edge.from], edge.from, edge.to);
            reach(in[edge.to], edge.to, edge.from);
        }
        // Where a box with a broad fan is on the flow, it stays joined to its one neighbour, at which that goes on.
        const auto drops = [&](const Fan& fan, const Fan& other_side, const LevelGraph::Edge& edge) {
            if (fan.edges <= options_.largest_fan || fan.highest - fan.lowest <= options_.fan_spread) return false;
            const LevelGraph::Node &from = graph_.nodes[edge.from], &to = graph_.nodes[edge.to];
            if (from.backward != to.backward) return from.twin != edge.to && to.twin != edge.from;
            if (other_side.edges == 0 || fan.near > 1) return true;
            return distance(result_.rank[edge.from], result_.rank[edge.to]) != fan.nearest;
        };
        fan_.assign(graph_.edges.size(), false);
        for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge) {
            const LevelGraph::Edge& data = graph_.edges[edge];
            fan_[edge] = drops(out[data.from], in[data.from], data) || drops(in[data.to], out[data.to], data) ||
                         graph_.nodes[data.from].apart || graph_.nodes[data.to].apart;
            if (fan_[edge]) result_.use[edge] = Layering::Use::stub;
        }
    }

    void drop_long() {
        for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge) {
            Layering::Use& use = result_.use[edge];
            if (use == Layering::Use::stub) continue;
            const std::uint32_t from = result_.rank[graph_.edges[edge].from];
            const std::uint32_t to = result_.rank[graph_.edges[edge].to];
            const bool with_flow = graph_.nodes[graph_.edges[edge].from].backward ? from > to : from < to;
            if (distance(from, to) > options_.longest_span)
                use = Layering::Use::stub;
            else if (!with_flow)  // twins can stand against the flow of what has none
                use = Layering::Use::beside;
        }
    }

    /// Short edges across the columns and against the flow are drawn where the boxes are near each other.
    void place_beside() {
        for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge) {
            if (result_.use[edge] != Layering::Use::stub || fan_[edge] || flows(graph_.edges[edge])) continue;
            const std::uint32_t from = graph_.edges[edge].from, to = graph_.edges[edge].to;
            const bool crosses = graph_.nodes[from].backward != graph_.nodes[to].backward;
            const std::uint32_t ranks = distance(result_.rank[from], result_.rank[to]);
            if (crosses ? ranks == 0 : ranks <= options_.longest_span) result_.use[edge] = Layering::Use::beside;
        }
    }

    void find_alone() {
        result_.alone.assign(graph_.nodes.size(), true);
        for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge) {
            if (result_.use[edge] == Layering::Use::stub) continue;
            result_.alone[graph_.edges[edge].from] = result_.alone[graph_.edges[edge].to] = false;
        }
        for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
            if (graph_.nodes[node].twin == LevelGraph::no_node) continue;
            result_.alone[node] = result_.alone[graph_.nodes[node].twin] = false;
        }
    }

    void close_empty_ranks() {
        std::vector<std::uint32_t> row(result_.rank_count, 0);
        for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
            if (!result_.alone[node]) row[result_.rank[node]] = 1;
        std::uint32_t used = 0;
        for (std::uint32_t& rank : row) rank = std::exchange(used, used + rank);
        for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
            if (!result_.alone[node]) result_.rank[node] = row[result_.rank[node]];
        result_.rank_count = used;
    }

    const LevelGraph& graph_;
    const LevelLayoutOptions& options_;
    Layering result_;
    std::vector<bool> fan_;
};

}  // namespace

Layering assign_ranks(const LevelGraph& graph, const LevelLayoutOptions& options) {
    return RankAssigner(graph, options).run();
}

}  // namespace overlap
