#include "core/passes/cleanup/canonicalize_graph.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

constexpr std::string_view pass_name = "canonicalize_graph_pass";

/// The five clean-ups, in the order of the reference.
class Cleanup {
  public:
    explicit Cleanup(const std::shared_ptr<const Graph>& source)
        : editor_(source),
          detach_(*source, {"aten.detach.default"}),
          identity_views_(*source, {"aten._unsafe_view.default", "aten.view.default", "aten.reshape.default"}),
          transpose_(*source, {"aten.t.default"}),
          slice_(*source, {"aten.slice.Tensor"}),
          views_(*source, {"aten._unsafe_view.default", "aten.view.default"}) {}

    PassResult operator()() {
        require_order(editor_.source(), pass_name);
        drop_detaches();
        drop_identity_views();
        drop_double_transposes();
        drop_full_slices();
        make_reshapes();
        return finished(editor_, pass_name);
    }

  private:
    /// Calls visit(node) for each node that is one of the operators; the node may be erased.
    template <typename Visit>
    void for_each(const TargetSet& targets, Visit&& visit) {
        if (!targets.any()) return;
        for (NodeId node = editor_.first(); node != no_node;) {
            const NodeId next = editor_.next(node);
            if (targets.has(editor_.record(node))) visit(node);
            node = next;
        }
    }

    void replace(NodeId node, NodeId replacement) {
        editor_.replace_all_uses(node, replacement);
        editor_.erase(node);
    }

    /// The first argument, which the reference assumes to be a node.
    NodeId tensor_argument(NodeId node) const {
        const NodeId input = editor_.node_argument(node, 0);
        if (input == no_node) {
            refuse_node(pass_name, editor_.name(node),
                        "its tensor is not its first positional argument, and torchtitan raises an error");
        }
        return input;
    }

    /// The tensor that a node returns, if it returns one and not several.
    const TensorMeta* tensor_of(NodeId node) const {
        if (node == no_node || editor_.record(node).multi || editor_.outputs(node).size() != 1) return nullptr;
        const TensorMeta& tensor = editor_.outputs(node).front();
        return tensor.is_tensor ? &tensor : nullptr;
    }

    void drop_detaches() {
        for_each(detach_, [&](NodeId node) { replace(node, tensor_argument(node)); });
    }

    void drop_identity_views() {
        for_each(identity_views_, [&](NodeId node) {
            const NodeId input = editor_.node_argument(node, 0);
            const TensorMeta* before = tensor_of(input);
            const TensorMeta* after = tensor_of(node);
            if (before && after && std::ranges::equal(editor_.shape(*before), editor_.shape(*after))) {
                replace(node, input);
            }
        });
    }

    void drop_double_transposes() {
        for_each(transpose_, [&](NodeId node) {
            const NodeId inner = editor_.node_argument(node, 0);
            if (inner == no_node || !transpose_.has(editor_.record(inner))) return;
            replace(node, tensor_argument(inner));
            if (editor_.user_count(inner) == 0) editor_.erase(inner);
        });
    }

    /// A whole number among the positional arguments; `otherwise` where there is none. Nothing for nodes and None,
    /// which the reference ignores or which compare unequal to every number.
    std::optional<std::int64_t> number(NodeId node, std::size_t index, std::int64_t otherwise) const {
        const Value* value = editor_.argument(node, index);
        if (!value) return otherwise;
        if (value->is(ValueKind::symbol)) value = &editor_.children(*value)[1];
        if (value->is(ValueKind::integer)) return value->integer;
        if (value->is(ValueKind::boolean)) return value->boolean ? 1 : 0;
        return {};
    }

    void drop_full_slices() {
        for_each(slice_, [&](NodeId node) {
            const std::optional<std::int64_t> start = number(node, 2, 0), step = number(node, 4, 1);
            const Value* end = editor_.argument(node, 3);
            if (start != 0 || step != 1 || (end && end->is(ValueKind::node))) return;
            const NodeId input = tensor_argument(node);
            if (!editor_.record(input).has_outputs) return;
            const TensorMeta* tensor = tensor_of(input);
            const std::optional<std::int64_t> dimension = number(node, 1, 0);
            const std::int64_t rank = tensor ? tensor->rank : 0;
            const std::optional<std::int64_t> last = number(node, 3, std::numeric_limits<std::int64_t>::max());
            if (!dimension || *dimension < -rank || *dimension >= rank || !last) {
                refuse_node(pass_name, editor_.name(node),
                            "its dimension or its end is not a number that fits its input, and torchtitan raises an "
                            "error");
            }
            const std::int64_t place = *dimension < 0 ? *dimension + rank : *dimension;
            if (*last >= editor_.shape(*tensor)[static_cast<std::size_t>(place)]) replace(node, input);
        });
    }

    void make_reshapes() {
        if (!views_.any()) return;
        const std::uint32_t reshape = editor_.target_index("aten.reshape.default");
        for_each(views_, [&](NodeId node) { editor_.set_target(node, reshape); });
    }

    GraphEditor editor_;
    TargetSet detach_, identity_views_, transpose_, slice_, views_;
};

}  // namespace

std::string_view CanonicalizeGraph::summary() const {
    return "Removes detaches, views to the same shape, double transposes and slices of everything, and makes all "
           "remaining views reshapes";
}

PassResult CanonicalizeGraph::run(const std::shared_ptr<const Graph>& graph, const Options&, std::stop_token) const {
    const TargetSet concerned(*graph, {"aten.detach.default", "aten._unsafe_view.default", "aten.view.default",
                                       "aten.reshape.default", "aten.t.default", "aten.slice.Tensor"});
    if (!concerned.any()) {
        require_order(*graph, name());
        return unchanged(graph, name());
    }
    return Cleanup(graph)();
}

}  // namespace overlap
