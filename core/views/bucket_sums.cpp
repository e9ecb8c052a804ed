#include "core/views/bucket_sums.h"

#include <algorithm>

#include "core/plan/automatic_plan.h"

namespace overlap {
namespace {

std::int32_t entry_of(const Evaluation& evaluation, const BucketingEligibility& eligibility, NodeId start) {
    if (const std::int32_t merged_by = evaluation.bucket_of_node[start]; merged_by >= 0) return merged_by;
    const NodeId origin = evaluation.origin[start];
    return origin != no_node && eligibility.eligible(origin) ? evaluation.entry_of_node[start] : -1;
}

}  // namespace

const BucketSums::OfKind* BucketSums::of(CollectiveKind kind) const {
    const auto found = std::ranges::find(kinds, kind, &OfKind::kind);
    return found == kinds.end() ? nullptr : &*found;
}

std::vector<BucketSums> bucket_sums(const Evaluation& evaluation, const BucketingEligibility& eligibility) {
    if (!evaluation.resolved) return {};
    const Plan& plan = evaluation.resolved->plan;
    std::vector<BucketSums> sums(plan.buckets.size());
    if (evaluation.refused || !takes_entries(plan)) return sums;
    for (const CollectiveTiming& timing : evaluation.simulation.collectives) {
        const std::int32_t entry = entry_of(evaluation, eligibility, timing.start);
        if (entry < 0) continue;
        BucketSums& sum = sums[static_cast<std::size_t>(entry)];
        const double time_ms = timing.end_ms - timing.start_ms;
        sum.communication_ms += time_ms;
        sum.exposed_ms += timing.exposed_ms;
        auto of_kind = std::ranges::find(sum.kinds, timing.kind, &BucketSums::OfKind::kind);
        if (of_kind == sum.kinds.end()) of_kind = sum.kinds.insert(of_kind, {.kind = timing.kind});
        of_kind->bytes += timing.bytes;
        of_kind->time_ms += time_ms;
    }
    return sums;
}

}  // namespace overlap
