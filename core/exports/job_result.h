#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/exports/job_nodes.h"
#include "core/files/ordered_json.h"
#include "core/graph/group_settings.h"
#include "core/graph/node_comparison.h"
#include "core/pipeline/execution.h"
#include "core/plan/plan.h"

namespace overlap {

/// The nodes of a plan's result as a job is told them: ranges of nodes that stay, changed ones, and new ones.
class JobResult {
  public:
    /// A node of the execution's input as JobNodes writes it.
    using Written = std::function<const Json&(NodeId)>;

    /// @param with_memory new nodes have a field `memory` as well: for each tensor that they return
    /// `[device, storage, storage_offset, storage_bytes]`, or null.
    JobResult(const Plan& plan, const Execution& execution, JobNodes& nodes, Written input, bool with_memory = false);

    /// Items of the list are `[first, count]` of nodes of the input that stay, `{"from": node, ...}` with the fields
    /// that change, null where one goes, or a whole new node.
    /// @throws InputError where the passes of one step change what `control_deps` of an earlier one wrap.
    Json order();
    /// Nodes whose users are registered in another order than they stand in: `[node, [users...]]` by place.
    Json users_order() const;

  private:
    bool is_new_wrapper(NodeId node) const;
    Json made(NodeId node);
    Json changed_fields(NodeId node, NodeId origin);

    const Execution& execution_;
    JobNodes& nodes_;
    Written input_;
    bool with_memory_;
    NodeComparison comparison_;
    std::map<std::string, Json> wrapped_;
};

/// Whether a rule of the plan gives a node of the input its modules.
bool has_given_module(const Execution& execution, NodeId node);
/// What the plan's rules give, as `[first, count, number]`: neighbouring nodes with one entry of the table of modules.
Json given_modules(const Execution& execution, const JobResult::Written& input);

/// What the plan asks of process groups; nothing for a graph without a plan.
/// @throws InputError for settings that cannot be, or of a group that there is not.
const std::vector<GroupSettings>& asked_settings(const Execution& execution);
/// The groups of the plan's graph, and those that its passes create, in the order of their creation.
/// @throws InputError as asked_settings().
Json job_process_groups(const Execution& execution);

/// The steps as a job calls them.
Json job_pipeline(const Execution& execution, const std::vector<PassStep>& steps);

/// What a job needs to make the result of its own graph, which it has: the parts of job_section() that say what
/// changes, with the same names. `before` has each node that changes as it was, `[place, node]`; new nodes have their
/// memory.
/// @throws InputError as job_section().
Json job_changes(const Plan& plan, const Execution& execution);

}  // namespace overlap
