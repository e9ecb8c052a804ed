#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/module_tree.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/plan/plan.h"

namespace overlap {

/// Collectives of an entry that manual bucketing puts into one group: same kind, process group, reduction and dtype.
/// The pass may still cut a group where members depend on each other's results; see Evaluation::reports.
struct MergedCollective {
    CollectiveKind kind = CollectiveKind::none;
    std::string process_group;
    std::string reduce_operation;  ///< `sum`, `avg`, ...; empty for all-gathers
    std::string dtype;             ///< of the result
    std::vector<NodeId> members;   ///< in packing order
    std::int64_t bytes = 0;        ///< larger of all inputs and all outputs
    /// Time of the merged collective over its link (latency once); without a link the members' own times together;
    /// nothing where the graph has neither.
    std::optional<double> time_ms;
};

/// Bytes and times of a bucket before it is made: what its card shows.
struct BucketFigures {
    std::vector<MergedCollective> collectives;  ///< in order of first member
    std::vector<NodeId> parameters;             ///< placeholders that its all-gathers gather, in graph order, each once

    /// Members of a kind.
    std::size_t count(CollectiveKind kind) const;
    std::int64_t bytes(CollectiveKind kind) const;
    /// Sum over a kind; nothing if any is unknown.
    std::optional<double> time_ms(CollectiveKind kind) const;
};

/// @param eligibility of the same graph; made once, used for all entries.
/// @param removed collectives that do not run with the plan, see removed_collectives().
BucketFigures bucket_figures(const Graph& graph, const ModuleTree& tree, const BucketingEligibility& eligibility,
                             const BucketEntry& entry, std::span<const NodeId> removed = {});

/// A collective that could be bucketed.
struct BucketableCollective {
    NodeId start = no_node;
    CollectiveKind kind = CollectiveKind::none;
    NodeId parameter = no_node;                           ///< placeholder that an all-gather gathers, else no_node
    ModuleTree::ModuleId module = ModuleTree::no_module;  ///< home module of `start`
    std::int64_t bytes = 0;
};

/// All of them, in graph order.
std::vector<BucketableCollective> bucketable_collectives(const Graph& graph, const ModuleTree& tree,
                                                         const BucketingEligibility& eligibility);

/// Those of `collectives` that are in no entry.
/// @param collectives all of the graph that `tree` is of, in graph order: made once, used for each change of the
/// entries.
std::vector<BucketableCollective> uncovered_collectives(std::span<const BucketableCollective> collectives,
                                                        const ModuleTree& tree,
                                                        const std::vector<BucketEntry>& buckets);

/// For each module the first entry that names it or a module around it; -1 where none does.
std::vector<std::int32_t> buckets_of_modules(const ModuleTree& tree, const std::vector<BucketEntry>& buckets);

}  // namespace overlap
