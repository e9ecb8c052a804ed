#include "core/passes/layout_repair.h"

#include <algorithm>
#include <deque>

#include "core/graph/error.h"
#include "core/graph/quote.h"

namespace overlap {

namespace {

bool same_layout(const GraphEditor& graph, const TensorMeta& left, const TensorMeta& right) {
    return left.dtype == right.dtype && std::ranges::equal(graph.shape(left), graph.shape(right)) &&
           std::ranges::equal(graph.stride(left), graph.stride(right));
}

/// Whether the node returns its first argument or a view of it.
bool returns_alias(const GraphEditor& graph, NodeId node) {
    if (graph.op(node) != NodeOp::call_function) return false;
    const TargetInfo& info = graph.target_info(node);
    if (info.traits.view || info.is_getitem) return true;
    const std::string_view target = graph.target(node);
    const std::string_view packet = target.substr(0, target.rfind('.'));
    return packet.ends_with('_') && !packet.ends_with("__");  // in-place operators
}

struct Shift {
    NodeId node;          ///< its tensors lie elsewhere now
    TensorMeta base;      ///< the tensor that they alias
    std::int64_t bytes;   ///< by how much its offset moved
};

}  // namespace

void repair_layouts(GraphEditor& graph, std::span<const ReplacedUser> replaced) {
    std::deque<Shift> shifted;
    const auto visit = [&](NodeId user, NodeId input, const TensorMeta& base, std::int64_t bytes) {
        if (bytes != 0 && returns_alias(graph, user) && graph.node_argument(user, 0) == input) {
            shifted.push_back({user, base, bytes});
        }
    };
    for (const ReplacedUser& change : replaced) {
        const TensorMeta before = graph.outputs(change.old_input).front();
        const TensorMeta after = graph.outputs(change.new_input).front();
        if (!same_layout(graph, before, after)) {
            throw PassRefusal("manual_overlap_bucketing", "node " + in_quotes(graph.name(change.old_input)),
                              "its bucket returns it with other sizes or strides, so PyTorch evaluates its users anew, "
                              "which is not reproduced");
        }
        const std::int64_t bytes = (after.storage_offset - before.storage_offset) * dtype_info(after.dtype).bytes;
        visit(change.user, change.new_input, after, bytes);
    }
    while (!shifted.empty()) {
        const Shift shift = shifted.front();
        shifted.pop_front();
        for (TensorMeta& tensor : graph.mutable_outputs(shift.node)) {
            if (!tensor.is_tensor) continue;
            tensor.storage = shift.base.storage;
            tensor.storage_bytes = shift.base.storage_bytes;
            tensor.storage_offset += shift.bytes / dtype_info(tensor.dtype).bytes;
        }
        for (const NodeId user : graph.users(shift.node)) visit(user, shift.node, shift.base, shift.bytes);
    }
}

}  // namespace overlap
