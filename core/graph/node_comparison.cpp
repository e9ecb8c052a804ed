#include "core/graph/node_comparison.h"

#include <algorithm>

namespace overlap {

namespace {

bool same_text(std::string_view left, std::string_view right) {
    return left.size() == right.size() && (left.data() == right.data() || left == right);
}

}  // namespace

bool NodeComparison::same_call(NodeId was, NodeId is) const {
    const NodeRecord& old_record = before_.record(was);
    const NodeRecord& new_record = after_.record(is);
    return old_record.op == new_record.op && same_text(before_.target(was), after_.target(is)) &&
           same(old_record.args, new_record.args) && same(old_record.kwargs, new_record.kwargs);
}

bool NodeComparison::same_node(NodeId was, NodeId is) const {
    if (!same_text(before_.name(was), after_.name(is)) || !same_call(was, is) || !same_outputs(was, is)) return false;
    const auto same_name = [&](NodeId input) { return same_text(after_.name(input), before_.name(origin_[input])); };
    if (!std::ranges::all_of(after_.inputs(is), same_name)) return false;
    const NodeMetadata old_metadata = before_.metadata(was), new_metadata = after_.metadata(is);
    return same_modules(old_metadata.module_stack, new_metadata.module_stack) &&
           same_modules(old_metadata.fwd_module_stack, new_metadata.fwd_module_stack) &&
           same_text(before_.text(old_metadata.module_fqn), after_.text(new_metadata.module_fqn)) &&
           old_metadata.autograd_backward == new_metadata.autograd_backward;
}

bool NodeComparison::same(const Value& was, const Value& is) const {
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

bool NodeComparison::same_outputs(NodeId was, NodeId is) const {
    if (before_.record(was).has_outputs != after_.record(is).has_outputs) return false;
    return std::ranges::equal(before_.outputs(was), after_.outputs(is),
                              [this](const TensorMeta& old_tensor, const TensorMeta& new_tensor) {
                                  if (!old_tensor.is_tensor || !new_tensor.is_tensor)
                                      return old_tensor.is_tensor == new_tensor.is_tensor;
                                  return old_tensor.dtype == new_tensor.dtype &&
                                         std::ranges::equal(before_.shape(old_tensor), after_.shape(new_tensor)) &&
                                         std::ranges::equal(before_.stride(old_tensor), after_.stride(new_tensor));
                              });
}

bool NodeComparison::same_modules(ModuleStackId was, ModuleStackId is) const {
    return std::ranges::equal(before_.module_stack(was), after_.module_stack(is),
                              [this](const ModuleStackEntry& old_entry, const ModuleStackEntry& new_entry) {
                                  return same_text(before_.text(old_entry.path), after_.text(new_entry.path)) &&
                                         same_text(before_.text(old_entry.class_name),
                                                   after_.text(new_entry.class_name));
                              });
}

}  // namespace overlap
