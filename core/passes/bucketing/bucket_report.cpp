#include "core/passes/bucketing/bucket_report.h"

#include <algorithm>
#include <string>

#include "core/passes/bucketing/bucket_keys.h"

namespace overlap {

namespace {

/// Bytes of what one argument refers to: a tensor, or a coalesced collective's list of tensors.
std::int64_t argument_bytes(const GraphEditor& graph, NodeId node, std::size_t index) {
    const Value* value = graph.argument(node, index);
    if (!value) return 0;
    std::int64_t bytes = value->is(ValueKind::node) ? output_bytes(graph, graph.current(value->node)) : 0;
    for (const Value& item : graph.children(*value)) {
        if (item.is(ValueKind::node)) bytes += output_bytes(graph, graph.current(item.node));
    }
    return bytes;
}

}  // namespace

MergedBucket merge_bucket(GraphEditor& graph, std::span<const NodeId> starts, BucketMode mode, const MergePlace& place,
                          BucketReport& report) {
    report.kind = graph.target_info(starts.front()).recognised;
    report.process_group = std::string(group_of(graph, starts.front()));
    for (const NodeId start : starts) report.members.emplace_back(graph.name(start));

    MergedBucket merged = merge_bucket(graph, starts, mode, place);

    report.start = std::string(graph.name(merged.start));
    report.dtype = std::string(dtype_info(graph.outputs(merged.start).front().dtype).name);
    report.bytes = std::max(output_bytes(graph, merged.start), argument_bytes(graph, merged.start, 0));
    for (const NodeId wait : merged.waits) report.waits.emplace_back(graph.name(wait));
    return merged;
}

}  // namespace overlap
