#pragma once

#include <span>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/bucketing/bucket_merge.h"
#include "core/passes/overlaps/overlap_order.h"
#include "core/passes/pass.h"
#include "core/passes/scheduling/augmented_graph.h"
#include "core/passes/scheduling/bucket_search.h"
#include "core/passes/scheduling/collectives.h"

namespace overlap::scheduling {

/// Merges one bucket in the graph and transfers its dependencies to the new nodes (`_apply_bucket`).
/// @param report receives what was merged.
/// @throws InputError where the reference raises.
void apply_bucket(GraphEditor& editor, const CollectiveTable& table, const Bucket& bucket, BucketMode mode,
                  AugmentedGraph& graph, BucketReport& report);

/// Sorts the nodes into the order that the dependencies require (`_apply_deps_and_effect_tokens`).
/// @throws InputError where they contradict each other, as the reference raises.
void sort_by_dependencies(GraphEditor& editor, AugmentedGraph& graph);

/// The dependencies that the option `insert_overlap_deps` writes into the graph: all except those between collectives
/// and waits, which the streams keep in order.
OverlapDependencies dependencies_to_insert(const GraphEditor& editor, const AugmentedGraph& graph);

}  // namespace overlap::scheduling
