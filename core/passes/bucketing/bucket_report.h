#pragma once

#include <span>

#include "core/passes/bucketing/bucket_merge.h"
#include "core/passes/pass.h"

namespace overlap {

/// merge_bucket(), and its result as a pass reports it.
/// @param report receives everything but the plan's entry.
MergedBucket merge_bucket(GraphEditor& graph, std::span<const NodeId> starts, BucketMode mode, const MergePlace& place,
                          BucketReport& report);

}  // namespace overlap
