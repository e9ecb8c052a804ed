#pragma once

#include "core/search/step_work.h"

namespace overlap {

/// How short a step can be whatever the order of its compute, in milliseconds: for compute and for each link Jackson's
/// bound of one machine with preemption, where a job's head is what must have been done before it, and its tail what
/// must be done after it.
double order_free_bound_ms(const StepWork& work);

}  // namespace overlap
