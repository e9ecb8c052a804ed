#pragma once

#include <string>

#include "core/timeline/timeline.h"

namespace overlap {

/// The events of `timeline` that overlap `range`, as comma-separated values after RFC 4180 with a heading: lane, row
/// (0 for a lane's first), name, kind, start_ms, duration_ms, exposed_ms; texts are harmless as CsvTable makes them.
/// Events are whole, also where the range cuts them; a stall of compute is an event of kind `exposed` with the name of
/// what it waits for.
std::string timeline_csv(const Timeline& timeline, TimeRange range);

/// The same events as a trace in the Trace Event Format (JSON object format), for Perfetto and chrome://tracing: a
/// thread for each row, complete events with times in microseconds, and memory as a counter.
/// @param simulated whether it has times that nobody measured, which the trace says (core/base/trace_origin.h).
std::string timeline_chrome_trace(const Timeline& timeline, TimeRange range, bool simulated);

}  // namespace overlap
