#include "core/graph/graph_difference.h"

#include <algorithm>

namespace overlap {

namespace {

/// Graphs of which one was made from the other share their text, so that most comparisons end at the address.
bool same_text(std::string_view left, std::string_view right) {
    return left.size() == right.size() && (left.data() == right.data() || left == right);
}

/// For each node after, whether it belongs to one longest run of survivors that stand in the same order in both graphs
/// (patience sorting).
std::vector<bool> kept_in_order(std::span<const NodeId> origin) {
    std::vector<NodeId> last_of_length;  // node after that ends the run of this length with the least origin
    std::vector<NodeId> previous(origin.size(), no_node);
    const auto stands_before = [&](NodeId node, NodeId place) { return origin[node] < place; };
    for (NodeId node = 0; node < origin.size(); ++node) {
        if (origin[node] == no_node) continue;
        // Most nodes stay where they are and make the longest run longer.
        const bool longest = last_of_length.empty() || stands_before(last_of_length.back(), origin[node]);
        const auto replaced =
            longest ? last_of_length.end()
                    : std::lower_bound(last_of_length.begin(), last_of_length.end(), origin[node], stands_before);
        if (replaced != last_of_length.begin()) previous[node] = *std::prev(replaced);
        longest ? last_of_length.push_back(node) : void(*replaced = node);
    }
    std::vector<bool> kept(origin.size(), false);
    NodeId node = last_of_length.empty() ? no_node : last_of_length.back();
    for (; node != no_node; node = previous[node]) kept[node] = true;
    return kept;
}

/// Compares nodes of two graphs, inputs by what they were before.
class NodeComparison {
  public:
    NodeComparison(const Graph& before, const Graph& after, std::span<const NodeId> origin)
        : before_(before), after_(after), origin_(origin) {}

    bool same(NodeId was, NodeId is) const {
        const NodeRecord& old_record = before_.record(was);
        const NodeRecord& new_record = after_.record(is);
        return old_record.op == new_record.op && same_text(before_.target(was), after_.target(is)) &&
               same(old_record.args, new_record.args) && same(old_record.kwargs, new_record.kwargs);
    }

  private:
    bool same(const Value& was, const Value& is) const {
        if (was.kind != is.kind) return false;
        switch (was.kind) {
            case ValueKind::none:
                return true;
            case ValueKind::boolean:
                return was.boolean == is.boolean;
            case ValueKind::integer:
                return was.integer == is.integer;
            case ValueKind::floating:
                return was.floating == is.floating;
            case ValueKind::node:
                return origin_[is.node] == was.node;
            case ValueKind::list:
            case ValueKind::dictionary:
            case ValueKind::slice:
            case ValueKind::symbol:
                return std::ranges::equal(
                    before_.children(was), after_.children(is),
                    [this](const Value& child_was, const Value& child_is) { return same(child_was, child_is); });
            case ValueKind::string:
            case ValueKind::dtype:
            case ValueKind::device:
            case ValueKind::layout:
            case ValueKind::memory_format:
            case ValueKind::special_float:
            case ValueKind::raw_json:
                return same_text(before_.text(was.string), after_.text(is.string));
        }
        return false;
    }

    const Graph& before_;
    const Graph& after_;
    std::span<const NodeId> origin_;
};

}  // namespace

GraphDifference graph_difference(const Graph& before, const Graph& after, std::span<const NodeId> origin) {
    GraphDifference difference;
    difference.before_text = before.strings();
    difference.after_text = after.strings();
    const std::vector<bool> in_order = kept_in_order(origin);
    const NodeComparison comparison(before, after, origin);
    std::vector<bool> survives(before.node_count(), false);
    for (NodeId node = 0; node < after.node_count(); ++node) {
        const NodeChange change{after.name(node), after.target(node), origin[node], node};
        if (change.before == no_node) {
            difference.added.push_back(change);
            continue;
        }
        survives[change.before] = true;
        if (!in_order[node]) difference.moved.push_back(change);
        if (!comparison.same(change.before, node)) difference.changed.push_back(change);
    }
    for (NodeId node = 0; node < before.node_count(); ++node) {
        if (!survives[node]) difference.removed.push_back({before.name(node), before.target(node), node, no_node});
    }
    return difference;
}

}  // namespace overlap
