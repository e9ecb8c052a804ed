#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/graph_builder.h"

namespace overlap::test {

/// A bfloat16 tensor of `size` elements.
inline TensorMeta tensor(GraphBuilder& builder, std::int64_t size) {
    const std::int64_t sizes[] = {size};
    return builder.contiguous_tensor(*dtype_by_name("bfloat16"), sizes);
}

/// Adds a call whose arguments are nodes.
inline NodeId call(GraphBuilder& builder, std::string_view name, std::string_view target,
                   std::initializer_list<NodeId> inputs, NodeMetadata metadata = {}) {
    std::vector<Value> args;
    for (const NodeId input : inputs) args.push_back(Value::of_node(input));
    const TensorMeta out = tensor(builder, 8);
    return builder.call(name, target, args, std::span(&out, 1), metadata);
}

inline NodeId placeholder(GraphBuilder& builder, std::string_view name) {
    const TensorMeta out = tensor(builder, 8);
    return builder.placeholder(name, std::span(&out, 1));
}

using Stack = std::vector<std::pair<std::string_view, std::string_view>>;  ///< paths and classes

inline ModuleStackId module_stack(GraphBuilder& builder, const Stack& stack) {
    std::vector<ModuleStackEntry> entries;
    for (const auto& [path, class_name] : stack) entries.push_back({builder.intern(path), builder.intern(class_name)});
    return builder.module_stack(entries);
}

}  // namespace overlap::test
