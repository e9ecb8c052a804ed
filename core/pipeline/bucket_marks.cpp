#include "core/pipeline/bucket_marks.h"

#include <algorithm>
#include <deque>

namespace overlap {

std::vector<std::int32_t> carry_bucket_marks(const std::vector<std::int32_t>& marks,
                                             const std::vector<NodeId>& origin) {
    std::vector<std::int32_t> carried(origin.size(), -1);
    // Before the first step that takes the plan's buckets there are none.
    if (std::ranges::all_of(marks, [](std::int32_t mark) { return mark == -1; })) return carried;
    for (std::size_t node = 0; node < origin.size(); ++node) {
        if (origin[node] != no_node) carried[node] = marks[origin[node]];
    }
    return carried;
}

void mark_buckets(const Graph& graph, const std::vector<NodeId>& origin, const PassReport& report,
                  std::vector<std::int32_t>& marks) {
    std::deque<NodeId> reached;
    const auto mark = [&](NodeId node, std::int32_t entry) {
        if (node == no_node || origin[node] != no_node || marks[node] != -1) return;
        marks[node] = entry;
        reached.push_back(node);
    };
    for (const BucketReport& bucket : report.buckets) {
        if (!bucket.plan_entry) continue;
        const auto entry = static_cast<std::int32_t>(*bucket.plan_entry);
        mark(graph.find(bucket.start), entry);
        for (const std::string& wait : bucket.waits) mark(graph.find(wait), entry);
    }
    // Breadth first from all buckets at once, so that each made node belongs to the bucket that it is nearest to.
    while (!reached.empty()) {
        const NodeId node = reached.front();
        reached.pop_front();
        for (const NodeId input : graph.inputs(node)) mark(input, marks[node]);
        for (const NodeId user : graph.users(node)) mark(user, marks[node]);
    }
}

}  // namespace overlap
