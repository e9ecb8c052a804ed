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
/// Times (`estimate_ms`) go, for they are of the other batch.
///
/// Sizes are followed from the inputs through every operator. Where a number has two readings that give the same graph,
/// such as a first size of a view that equals the batch, one is taken: core/batch/README.md lists them. All else is as
/// torch traces it.
/// @throws InputError, with the node, where that is not possible: an operator without a rule (core/batch/batch_rules.h)
/// takes what grows, attention would be over the batch, parts are no whole batches, a number may be made from the batch
/// (core/batch/batch_numbers.h), a batch of 1 on either side (torch traces sizes of 1 in their own way), sizes that are
/// known only when the job runs.
std::shared_ptr<const Graph> with_local_batch(const std::shared_ptr<const Graph>& graph, std::int64_t batch);

}  // namespace overlap
