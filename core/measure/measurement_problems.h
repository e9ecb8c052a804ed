#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/passes/pass.h"
#include "core/trace/collective_alignment.h"
#include "core/trace/measured_trace.h"

namespace overlap {

/// Why figures of a trace are to be read with care: events that the profiler lost or left incomplete, nothing that
/// communicates, and what HolisticTraceAnalysis counts otherwise. Cautions first. Nodes and fixes are empty.
std::vector<Problem> trace_problems(const MeasuredTrace& trace);

/// Why times of several ranks are to be read with care: clocks that could not be aligned, or only roughly.
/// @param names of the ranks, as sentences use them.
std::vector<Problem> alignment_problems(const AlignedRanks& aligned, std::span<const std::string> names);

}  // namespace overlap
