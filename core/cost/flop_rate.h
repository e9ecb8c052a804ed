#pragma once

#include "core/graph/graph.h"

namespace overlap {

/// How many floating-point operations the device does in a second at best with numbers of this type: float32's rate
/// where the cost model has none of it.
/// @throws InputError where it has neither.
double flop_rate(const CostParameters& cost, Dtype dtype);

}  // namespace overlap
