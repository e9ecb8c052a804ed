#pragma once

#include "core/batch/dimension_classes.h"
#include "core/batch/scaled_tensors.h"
#include "core/graph/editing/graph_editor.h"

namespace overlap {

/// Gives `node` the sizes among its arguments that it has with the other batch: those of views and of new tensors,
/// parts of splits, bounds of slices.
/// @param editor of the graph of `classes`.
/// @throws InputError where one of them does not hold the batch, or is computed when the job runs.
void scale_arguments(const DimensionClasses& classes, NodeId node, const BatchChange& change, GraphEditor& editor);

}  // namespace overlap
