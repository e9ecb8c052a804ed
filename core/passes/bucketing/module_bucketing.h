#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/graph/module_tree.h"
#include "core/passes/bucketing/bucket_merge.h"
#include "core/passes/bucketing/module_bucketing_options.h"
#include "core/passes/pass.h"

namespace overlap {

/// What the passes that bucket by module have in common, and where they differ.
struct ModuleBucketing {
    std::string pass_name;
    /// `safe` is not in the reference: the edges that it omits are added, and orderings that contradict the data left
    /// out. The places in `fsdp_param_module_order` are those in which members of a bucket are packed; empty: scope
    /// order.
    ModuleBucketingOptions options;
    ModuleSource source = ModuleSource::module_stack;
    /// torchtitan's joint graphs: each entry is bucketed once for forward and once for backward, and directions are
    /// ordered separately.
    bool joint = false;
};

/// Buckets the collectives of each entry and overlaps neighbouring buckets
/// (torch/_inductor/fx_passes/overlap_manual_scheduling.py, ManualOverlapScheduler; torchtitan's
/// graph_trainer/fsdp_passes.py, JointManualOverlapScheduler).
/// @throws PassRefusal where the reference raises or its result is not reproduced.
/// @returns a null graph when stopped.
PassResult bucket_by_modules(const std::shared_ptr<const Graph>& graph, const ModuleBucketing& settings,
                             std::stop_token stop);

/// The value of an option `bucket_mode`. Unset and empty mean custom_ops; the reference takes a name that it does not
/// know for `default`.
BucketMode bucket_mode_by_name(const std::optional<std::string>& name);

}  // namespace overlap
