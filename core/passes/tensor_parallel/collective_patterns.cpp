#include "core/passes/tensor_parallel/collective_patterns.h"

#include <algorithm>
#include <optional>
#include <span>

#include "core/passes/pass_support.h"

namespace overlap::tensor_parallel {

namespace {

constexpr std::uint32_t any_users = 0xffffffffu;

/// Recognises the forms. A form says how many arguments and users a node has. Keywords are never part of it: one that
/// has its default may be there, any other makes the node another.
class Patterns {
  public:
    explicit Patterns(const Graph& graph)
        : graph_(graph),
          gathers_(graph, {"_c10d_functional.all_gather_into_tensor.default"}),
          scatters_(graph, {"_c10d_functional.reduce_scatter_tensor.default"}),
          waits_(graph, {"_c10d_functional.wait_tensor.default"}),
          concatenations_(graph, {"aten.cat.default"}),
          slices_(graph, {"aten.slice.Tensor"}),
          splits_(graph, {"aten.split.Tensor", "aten.split.sizes", "aten.split_with_sizes.default"}),
          getitems_(graph, {"operator.getitem"}),
          retyped_(graph, {"aten.view.dtype"}),
          ends_(graph,
                {"_c10d_functional.wait_tensor.default", "aten.cat.default", "aten.slice.Tensor", "aten.view.dtype"}) {
        if (!waits_.any() || (!gathers_.any() && !scatters_.any())) return;
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            const NodeRecord& record = graph.record(node);
            if (ends_.has(record)) nodes_.push_back(node);
        }
    }

    std::vector<GatherMatch> gathers() const {
        std::vector<GatherMatch> found;
        if (!gathers_.any() || !waits_.any()) return found;
        std::vector<std::uint8_t> seen(graph_.node_count());
        const auto add = [&](std::optional<GatherMatch> match) {
            if (!match || seen[match->start] != 0) return;
            seen[match->start] = 1;
            found.push_back(std::move(*match));
        };
        // Backwards, so that the longest form of an all-gather is met first.
        for (auto at = nodes_.rbegin(); at != nodes_.rend(); ++at) {
            const NodeId node = *at;
            const NodeRecord& record = graph_.record(node);
            if (waits_.has(record)) {
                add(along_first(node, any_users));
            } else if (slices_.has(record) || concatenations_.has(record)) {
                if (std::optional<GatherMatch> match = of_slices(node)) {
                    add(std::move(match));
                } else if (concatenations_.has(record)) {
                    add(of_split(node, any_users, false));
                }
            } else if (retyped_.has(record)) {
                add(retyped_of_split(node));
                add(retyped_along_first(node));
            }
        }
        std::ranges::reverse(found);
        return found;
    }

    std::vector<ScatterMatch> scatters() const {
        std::vector<ScatterMatch> found;
        if (!scatters_.any() || !waits_.any()) return found;
        for (const NodeId node : nodes_) {
            if (!waits_.has(graph_.record(node))) continue;
            if (std::optional<ScatterMatch> match = scatter(node)) found.push_back(std::move(*match));
        }
        return found;
    }

  private:
    std::size_t argument_count(NodeId node) const { return graph_.record(node).args.count; }

    NodeId node_at(NodeId node, std::size_t place) const {
        const Value* value = graph_.argument(node, place);
        return value && value->is(ValueKind::node) ? value->node : no_node;
    }

    std::optional<std::int64_t> integer_at(NodeId node, std::size_t place) const {
        const Value* value = graph_.argument(node, place);
        if (!value || !value->is(ValueKind::integer)) return {};
        return value->integer;
    }

    /// Whether all keywords have their defaults. Of the operators in a form only these have any: `dim`, 0.
    bool has_default_keywords(NodeId node) const {
        const NodeRecord& record = graph_.record(node);
        const auto keywords = graph_.children(record.kwargs);
        if (keywords.empty()) return true;
        if (keywords.size() != 2 || !(concatenations_.has(record) || splits_.has(record))) return false;
        const Value* dimension = graph_.keyword(node, "dim");
        return dimension && dimension->is(ValueKind::integer) && dimension->integer == 0;
    }

    /// A call of one of the operators with so many arguments, keywords that say nothing, and so many users.
    bool is(NodeId node, const TargetSet& operators, std::size_t arguments, std::uint32_t users) const {
        if (node == no_node || !operators.has(graph_.record(node)) || argument_count(node) != arguments) return false;
        return has_default_keywords(node) && (users == any_users || graph_.users(node).size() == users);
    }

    /// wait(all_gather(shard, n, group))
    std::optional<GatherMatch> along_first(NodeId wait, std::uint32_t users) const {
        if (!is(wait, waits_, 1, users)) return {};
        const NodeId start = node_at(wait, 0);
        if (!is(start, gathers_, 3, 1) || node_at(start, 0) == no_node) return {};
        GatherMatch match;
        match.nodes = {start, wait};
        match.shard = node_at(start, 0);
        match.start = start;
        match.result = wait;
        match.group = *graph_.argument(start, 2);
        return match;
    }

    /// cat([getitem(split(wait(all_gather)), i), ...], dimension), or with each piece viewed as another type.
    std::optional<GatherMatch> of_split(NodeId cat, std::uint32_t users, bool pieces_are_retyped) const {
        if (!is(cat, concatenations_, 2, users)) return {};
        const auto pieces = list_at(cat, 0);
        const std::optional<std::int64_t> dimension = integer_at(cat, 1);
        if (pieces.empty() || !dimension) return {};
        std::optional<GatherMatch> match;
        NodeId split = no_node;
        for (const Value& value : pieces) {
            NodeId piece = value.is(ValueKind::node) ? value.node : no_node;
            const NodeId outer = piece;
            if (pieces_are_retyped) {
                if (!is(piece, retyped_, 2, 1)) return {};
                piece = node_at(piece, 0);
            }
            if (!is(piece, getitems_, 2, 1)) return {};
            const NodeId of = node_at(piece, 0);
            if (!match) {
                if (!is(of, splits_, 2, any_users)) return {};
                match = along_first(node_at(of, 0), 1);
                if (!match) return {};
                split = of;
                match->nodes.push_back(split);
            } else if (of != split) {
                return {};
            }
            match->nodes.push_back(piece);
            if (pieces_are_retyped) match->nodes.push_back(outer);
        }
        match->nodes.push_back(cat);
        match->result = cat;
        match->dimension = *dimension;
        return match;
    }

    std::optional<GatherMatch> retyped_of_split(NodeId view) const {
        if (!is(view, retyped_, 2, any_users)) return {};
        return behind(of_split(node_at(view, 0), 1, true), view);
    }
    std::optional<GatherMatch> retyped_along_first(NodeId view) const {
        if (!is(view, retyped_, 2, any_users)) return {};
        return behind(along_first(node_at(view, 0), 1), view);
    }
    static std::optional<GatherMatch> behind(std::optional<GatherMatch> match, NodeId result) {
        if (match) {
            match->nodes.push_back(result);
            match->result = result;
        }
        return match;
    }

    std::span<const Value> list_at(NodeId node, std::size_t place) const {
        const Value* list = graph_.argument(node, place);
        if (!list || !list->is(ValueKind::list)) return {};
        return graph_.children(*list);
    }

    /// The dimension of a concatenation, wherever it is given; nothing where it is no whole number.
    std::optional<std::int64_t> dimension_of(NodeId cat) const {
        if (argument_count(cat) > 1) return integer_at(cat, 1);
        const Value* keyword = graph_.keyword(cat, "dim");
        if (!keyword) return 0;
        if (!keyword->is(ValueKind::integer)) return {};
        return keyword->integer;
    }

    /// cat([slice(wait, 0, ...), ...], dimension), perhaps cut along that dimension from its beginning on. Here the
    /// reference does not look at users.
    std::optional<GatherMatch> of_slices(NodeId node) const {
        const NodeId result = node;
        NodeId cat = node, trim = no_node;
        if (slices_.has(graph_.record(node))) {
            if (argument_count(node) < 4) return {};
            trim = node;
            cat = node_at(node, 0);
        }
        if (cat == no_node || !concatenations_.has(graph_.record(cat))) return {};
        const auto pieces = list_at(cat, 0);
        const std::optional<std::int64_t> dimension = dimension_of(cat);
        if (pieces.empty() || !dimension) return {};
        if (trim != no_node && (integer_at(trim, 1) != dimension || integer_at(trim, 2) != 0)) return {};
        NodeId wait = no_node;
        GatherMatch match;
        for (const Value& value : pieces) {
            if (!value.is(ValueKind::node) || !slices_.has(graph_.record(value.node)) ||
                integer_at(value.node, 1) != 0) {
                return {};
            }
            const NodeId of = node_at(value.node, 0);
            if (of == no_node || !waits_.has(graph_.record(of)) || (wait != no_node && of != wait)) return {};
            wait = of;
            match.nodes.push_back(value.node);
        }
        match.start = node_at(wait, 0);
        if (match.start == no_node || !gathers_.has(graph_.record(match.start))) return {};
        const Value* group = graph_.keyword(match.start, "group_name");
        if (!group) group = graph_.argument(match.start, 2);
        match.shard = node_at(match.start, 0);
        if (!group || match.shard == no_node) return {};
        match.nodes.insert(match.nodes.begin(), {match.start, wait});
        match.nodes.push_back(cat);
        if (trim != no_node) match.nodes.push_back(trim);
        match.result = result;
        match.dimension = *dimension;
        match.group = *group;
        return match;
    }

    std::optional<ScatterMatch> scatter(NodeId wait) const {
        if (std::optional<ScatterMatch> match = scatter_of_slices(wait)) return match;
        if (!is(wait, waits_, 1, any_users)) return {};
        const NodeId start = node_at(wait, 0);
        // A second user is the output: the sum is kept for the backward pass.
        if (!is(start, scatters_, 4, 1) && !is(start, scatters_, 4, 2)) return {};
        if (node_at(start, 0) == no_node) return {};
        std::optional<ScatterMatch> match = scatter_of_split(node_at(start, 0));
        if (!match) {
            match.emplace();
            match->input = node_at(start, 0);
        }
        return ended(std::move(*match), start, wait);
    }

    ScatterMatch ended(ScatterMatch match, NodeId start, NodeId wait) const {
        match.nodes.insert(match.nodes.end(), {start, wait});
        match.start = start;
        match.wait = wait;
        if (const Value* operation = graph_.keyword(start, "reduce_op"))
            match.operation = *operation;
        else if (const Value* argument = graph_.argument(start, 1))
            match.operation = *argument;
        if (const Value* group = graph_.keyword(start, "group_name"))
            match.group = *group;
        else if (const Value* last = graph_.argument(start, 3))
            match.group = *last;
        return match;
    }

    /// cat([getitem(split(input, sizes, dimension), i), ...])
    std::optional<ScatterMatch> scatter_of_split(NodeId cat) const {
        if (!is(cat, concatenations_, 1, 1)) return {};
        ScatterMatch match;
        NodeId split = no_node;
        for (const Value& value : list_at(cat, 0)) {
            const NodeId piece = value.is(ValueKind::node) ? value.node : no_node;
            if (!is(piece, getitems_, 2, 1)) return {};
            const NodeId of = node_at(piece, 0);
            if (split == no_node) {
                const std::optional<std::int64_t> dimension = integer_at(of, 2);
                if (!is(of, splits_, 3, any_users) || node_at(of, 0) == no_node || !dimension) return {};
                split = of;
                match.input = node_at(of, 0);
                match.dimension = *dimension;
                match.nodes.push_back(split);
            } else if (of != split) {
                return {};
            }
            match.nodes.push_back(piece);
        }
        if (split == no_node) return {};
        match.nodes.push_back(cat);
        return match;
    }

    /// cat([slice(input, dimension, ...), ...]), without regard to users.
    std::optional<ScatterMatch> scatter_of_slices(NodeId wait) const {
        const NodeId start = node_at(wait, 0);
        if (start == no_node || !scatters_.has(graph_.record(start))) return {};
        const NodeId cat = node_at(start, 0);
        if (cat == no_node || !concatenations_.has(graph_.record(cat)) || dimension_of(cat) != 0) return {};
        ScatterMatch match;
        std::optional<std::int64_t> dimension;
        for (const Value& value : list_at(cat, 0)) {
            if (!value.is(ValueKind::node) || !slices_.has(graph_.record(value.node))) return {};
            const NodeId of = node_at(value.node, 0);
            const std::optional<std::int64_t> along = integer_at(value.node, 1);
            if (of == no_node || !along || (dimension && (of != match.input || along != dimension))) return {};
            match.input = of;
            dimension = along;
            match.nodes.push_back(value.node);
        }
        if (!dimension) return {};
        match.dimension = *dimension;
        match.nodes.push_back(cat);
        match = ended(std::move(match), start, wait);
        if (match.operation.is(ValueKind::none) || match.group.is(ValueKind::none)) return {};
        return match;
    }

    const Graph& graph_;
    const TargetSet gathers_, scatters_, waits_, concatenations_, slices_, splits_, getitems_, retyped_;
    const TargetSet ends_;       ///< what a form may end with
    std::vector<NodeId> nodes_;  ///< calls of those, in order
};

}  // namespace

CollectiveMatches find_collectives(const Graph& graph) {
    const Patterns patterns(graph);
    return {patterns.gathers(), patterns.scatters()};
}

}  // namespace overlap::tensor_parallel
