#pragma once

#include <string_view>

#include "core/batch/dimension_classes.h"

namespace overlap {

/// Joins the dimensions of a node's inputs and outputs that have one size, by what its operator does, and fixes those
/// that a batch cannot be along, such as the sequence of attention. Tensors that an operator makes of sizes alone are
/// left free: what reads them decides.
/// @returns false, and joins nothing, where no rule is known for the operator with such arguments. Then none of the
/// node's dimensions may grow.
bool relate_dimensions(DimensionClasses& classes, NodeId node);

/// Whether a rule is known for calls of the operator.
bool has_batch_rule(std::string_view target);
/// Whether results of the operator may have sizes that only its arguments say, such as `zeros`, and `expand` where its
/// input has none or 1.
bool has_free_sizes(std::string_view target);

}  // namespace overlap
