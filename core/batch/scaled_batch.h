#pragma once

#include <cstdint>
#include <memory>

#include "core/graph/graph.h"

namespace overlap {

/// Sequences that a rank takes in a step: the first size of the graph's inputs of whole numbers, tokens and labels, of
/// two or more dimensions.
/// @throws InputError where there is none, where they disagree, or where one has a single dimension: packed sequences
/// do not say how many they are.
std::int64_t local_batch(const Graph& graph);

/// The graph of the same step with `batch` sequences a rank: sizes, strides and memory of every tensor that holds the
/// batch, and the sizes among arguments, are as torch traces them with that batch. Nodes, their names and order stay.
/// Times (`estimate_ms`) go, for they are of the other batch; constants that a model computed from the batch cannot be
/// told from others and stay, which no time depends on.
///
/// Sizes are followed from the inputs through every operator. What that cannot tell apart is in core/batch/README.md: a
/// number of the model that equals the batch may be taken for it, so the result is not exact for every model.
/// @throws InputError, with the node, where that is not possible: an operator without a rule (core/batch/batch_rules.h)
/// takes what grows, attention would be over the batch, a batch of 1 on either side (torch traces sizes of 1 in their
/// own way), sizes that are known only when the job runs.
std::shared_ptr<const Graph> with_local_batch(const std::shared_ptr<const Graph>& graph, std::int64_t batch);

}  // namespace overlap
