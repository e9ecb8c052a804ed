#pragma once

#include <string>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/passes/bucketing/eligibility.h"
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

/// Why `modules` cannot be put into entry `target` (npos: a new entry), as a sentence without full stop; empty where
/// they can. It refuses names that the graph lacks, modules that share nodes with another entry or with each other, and
/// modules without a collective that could be bucketed.
std::string drop_refusal(const Graph& graph, const ModuleTree& tree, const BucketingEligibility& eligibility,
                         const Buckets& buckets, const std::vector<std::string>& modules, std::size_t target);

}  // namespace overlap
