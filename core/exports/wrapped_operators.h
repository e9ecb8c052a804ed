#pragma once

#include <map>
#include <string>

#include "core/files/ordered_json.h"
#include "core/passes/pass.h"
#include "core/pipeline/execution.h"

namespace overlap {

/// The operators that a plan wraps in `higher_order.control_deps` (option insert_overlap_deps), by the wrapper's name.
/// In a job they are in a module of their own, which a graph's document does not show: each is `{"target", "args",
/// "kwargs"}`, where `{"input": K}` is the wrapper's argument K behind the first two.
/// @throws InputError where running the passes again without that option does not show what a wrapper contains.
std::map<std::string, Json> wrapped_operators(const Plan& plan, const Execution& execution);

}  // namespace overlap
