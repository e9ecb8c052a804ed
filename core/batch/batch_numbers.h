#pragma once

#include <cstdint>
#include <unordered_set>

#include "core/batch/dimension_classes.h"

namespace overlap {

/// Looks for numbers that a model may have made from the batch, and that no size of the graph's inputs explains:
/// * sizes of new tensors that hold the batch as a factor and meet no other tensor, such as those of `ones(batch, 8)`
///   whose sum is taken;
/// * an input's first size that is the batch's, where nothing says whether it is, and that no other input has;
/// * numbers by which something is divided, multiplied or filled that count all rows or elements of a tensor that
///   grows, such as the tokens that a loss is the mean of. A mean over a size that stays explains its number.
/// @param parameters inputs that keep their sizes.
/// @throws InputError, with the node, at the first one.
void refuse_numbers_of_batch(const DimensionClasses& classes, std::int64_t batch,
                             const std::unordered_set<NodeId>& parameters);

}  // namespace overlap
