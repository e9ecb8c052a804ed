#include "core/views/members_of_result.h"

#include "core/pipeline/manual_start.h"

namespace overlap {

MembersOfResult::MembersOfResult(const Evaluation& evaluation) : evaluation_(evaluation) {
    for (FinalBucket& bucket : final_buckets(evaluation))
        merged_.insert_or_assign(std::move(bucket.start), std::move(bucket.members));
}

std::vector<NodeId> MembersOfResult::of(NodeId start) const {
    if (const NodeId origin = evaluation_.origin[start]; origin != no_node) return {origin};
    const auto merged = merged_.find(std::string(evaluation_.graph->name(start)));
    if (merged == merged_.end()) return {};
    std::vector<NodeId> members;
    for (const std::string& name : merged->second)
        if (const NodeId node = evaluation_.input->find(name); node != no_node) members.push_back(node);
    return members;
}

}  // namespace overlap
