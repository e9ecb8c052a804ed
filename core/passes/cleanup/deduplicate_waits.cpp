#include "core/passes/cleanup/deduplicate_waits.h"

#include <utility>
#include <vector>

#include "core/passes/pass_support.h"

namespace overlap {

namespace {

/// The waits of a graph by what they await.
class AwaitedValues {
  public:
    AwaitedValues(const Graph& graph, const TargetSet& waits)
        : graph_(graph), waits_(waits), direct_waits_(graph.node_count()) {
        for (NodeId wait = 0; wait < graph.node_count(); ++wait) {
            if (!is_wait(wait)) continue;
            const Value* value = graph.argument(wait, 0);
            if (!value || !value->is(ValueKind::node)) continue;
            std::vector<NodeId>& others = direct_waits_[value->node];
            if (others.empty()) values_.push_back(value->node);
            others.push_back(wait);
        }
    }

    /// For each value that is awaited more than once and is no wait itself: the wait that stays, and those that are
    /// removed, in the order in which the reference replaces them.
    std::vector<std::pair<NodeId, std::vector<NodeId>>> repeated() const {
        std::vector<std::pair<NodeId, std::vector<NodeId>>> repeated;
        for (const NodeId value : values_) {
            if (is_wait(value)) continue;
            const NodeId first = direct_waits_[value].front();
            std::vector<NodeId> pending = direct_waits_[value], others;
            while (!pending.empty()) {
                const NodeId wait = pending.back();
                pending.pop_back();
                if (wait != first) others.push_back(wait);
                pending.insert(pending.end(), direct_waits_[wait].begin(), direct_waits_[wait].end());
            }
            if (!others.empty()) repeated.emplace_back(first, std::move(others));
        }
        return repeated;
    }

  private:
    bool is_wait(NodeId node) const { return waits_.has(graph_.record(node)); }

    const Graph& graph_;
    const TargetSet& waits_;
    std::vector<std::vector<NodeId>> direct_waits_;  ///< by awaited node, in graph order
    std::vector<NodeId> values_;                     ///< what is awaited, in order of the first wait
};

}  // namespace

std::string_view DeduplicateWaits::summary() const {
    return "Lets all users of a collective's result share its first wait, and removes the other waits";
}

PassResult DeduplicateWaits::run(const std::shared_ptr<const Graph>& graph, const Options&, std::stop_token) const {
    const TargetSet waits(*graph, {"_c10d_functional.wait_tensor.default"});
    if (!waits.any()) return unchanged(graph, name());
    const auto repeated = AwaitedValues(*graph, waits).repeated();
    if (repeated.empty()) return unchanged(graph, name());
    GraphEditor editor(graph);
    Problem removed;
    for (const auto& [first, others] : repeated) {
        for (const NodeId wait : others) {
            removed.nodes.emplace_back(editor.name(wait));
            editor.replace_all_uses(wait, first);
            editor.erase(wait);
        }
    }
    PassResult result = finished(editor, name());
    removed.kind = ProblemKind::duplicate_wait;
    removed.title = "Awaited again";
    removed.message = std::to_string(removed.nodes.size());
    removed.message += removed.nodes.size() == 1 ? " wait repeats" : " waits repeat";
    removed.message += " an earlier one on the same value, and the users take the earlier one's result";
    result.report.problems.push_back(std::move(removed));
    return result;
}

}  // namespace overlap
