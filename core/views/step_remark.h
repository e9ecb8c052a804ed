#pragma once

#include <string>

#include "core/pipeline/execution.h"

namespace overlap {

/// Of a step that ran and changed no node: what it did all the same, such as tags, or why it had nothing to do. Without
/// full stop; empty where that is not known.
std::string step_remark(const Execution& execution, const StepOutcome& step);

}  // namespace overlap
