#pragma once

#include <string>
#include <vector>

#include "core/plan/plan_edits.h"

namespace overlap {

/// What becomes of modules that are put into an entry together.
struct BucketDrop {
    struct LeftOut {
        std::string module;
        std::string reason;  ///< a sentence without full stop
    };
    std::vector<std::string> taken;  ///< those that can be put there, in their order
    std::vector<std::string> moved;  ///< of these, those that another entry names: they leave it
    std::vector<LeftOut> left_out;   ///< the others stay where they are
};

/// @param target an entry; npos for a new one.
BucketDrop bucket_drop(const Graph& graph, const ModuleTree& tree, const BucketingEligibility& eligibility,
                       const Buckets& buckets, const std::vector<std::string>& modules, std::size_t target);

}  // namespace overlap
