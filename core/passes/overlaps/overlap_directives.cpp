#include "core/passes/overlaps/overlap_directives.h"

#include <algorithm>

#include "core/base/wording.h"

namespace overlap {

std::string describe(const OverlapDirective& directive) {
    std::vector<std::string> parts;
    if (!directive.start_after.empty()) parts.push_back("is issued after " + directive.start_after);
    if (!directive.start_before.empty()) parts.push_back("is issued before " + directive.start_before);
    if (!directive.wait_after.empty()) parts.push_back("is waited for after " + directive.wait_after);
    if (!directive.hide_behind.empty()) parts.push_back("runs behind " + directive.hide_behind);
    return directive.collective + ' ' + (parts.empty() ? "is left where it is" : listed(parts));
}

MergedCollectives merged_collectives(std::span<const PassReport> reports) {
    MergedCollectives merged;
    for (const PassReport& report : reports)
        for (const BucketReport& bucket : report.buckets) {
            // What a later step merges once more is found under its first name as well.
            for (auto& [member, start] : merged)
                if (std::find(bucket.members.begin(), bucket.members.end(), start) != bucket.members.end())
                    start = bucket.start;
            for (const std::string& member : bucket.members) merged.emplace_back(member, bucket.start);
        }
    return merged;
}

}  // namespace overlap
