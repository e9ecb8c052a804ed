#pragma once

#include <iosfwd>

#include "core/run/run.h"

namespace overlap::runner {

/// What a run has found, for display: what was issued, memory, how each process group ran and why, times. A result file
/// has more, see run_json().
/// @param record of this run; `program` and `memory` are those that it ran.
void write_run_summary(std::ostream& out, const Graph& graph, const Program& program, const MemoryPlan& memory,
                       const RunRecord& record);

}  // namespace overlap::runner
