#pragma once

#include <vector>

#include "core/passes/bucketing/eligibility.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// What a bucket communicates in a plan's result, as simulated.
struct BucketSums {
    /// By collectives of one kind.
    struct OfKind {
        CollectiveKind kind = CollectiveKind::none;
        std::int64_t bytes = 0;
        double time_ms = 0;  ///< meaningless where the evaluation's times are not known
    };
    std::vector<OfKind> kinds;  ///< in order of their first collectives
    double communication_ms = 0;
    double exposed_ms = 0;

    /// Nothing where the bucket communicates nothing of the kind.
    const OfKind* of(CollectiveKind kind) const;
};

/// For each entry of the plan what was merged by it, and collectives of its modules that could have been merged and
/// were left alone. All is 0 where the plan is refused, whose result is the graph, or no step takes its entries.
/// @param eligibility of the evaluation's input.
std::vector<BucketSums> bucket_sums(const Evaluation& evaluation, const BucketingEligibility& eligibility);

}  // namespace overlap
