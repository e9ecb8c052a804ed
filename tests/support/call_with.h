#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/graph_builder.h"

namespace overlap::test {

/// Name and value of an argument.
using Keyword = std::pair<std::string_view, Value>;

/// A call that is given some of its arguments by name, as `cat([a, b], dim=1)`.
inline NodeId call_with(GraphBuilder& builder, std::string_view name, std::string_view target,
                        const std::vector<Value>& args, const std::vector<Keyword>& keywords,
                        const std::vector<TensorMeta>& outputs = {}, const NodeMetadata& metadata = {}) {
    std::vector<Value> named;
    for (const auto& [key, value] : keywords) named.insert(named.end(), {builder.string(key), value});
    NodeRecord record;
    record.name = builder.intern(name);
    record.target = builder.target(target);
    record.args = builder.list(args);
    record.kwargs = builder.dictionary(named);
    record.has_outputs = !outputs.empty();
    return builder.add(record, metadata, outputs);
}

}  // namespace overlap::test
