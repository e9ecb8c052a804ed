#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/measured_trace.h"

namespace overlap {

/// What of a trace becomes lanes.
struct MeasuredTimelineOptions {
    bool host_threads = true;  ///< operators, calls and annotations of the host's threads
    /// The functions of Python's call stacks, which are most of the events of traces that have them.
    bool python_functions = true;
    std::int64_t clock_offset_ns = 0;  ///< added to all times, see align_ranks()
    std::string device{};              ///< number of the GPU whose streams are drawn; empty: those of all
    bool gpu_streams = true;           ///< work, waits and annotations of GPUs, and their memory
};

/// The timeline of a trace: lanes for each GPU's streams, those that compute first, then for the host's threads. What
/// overlaps within a lane is put into rows below it. An event's reference is its number in the trace. Flows, metadata
/// and counters are not in lanes; everything with a duration is, and instants are events without length.
std::shared_ptr<const Timeline> measured_timeline(const MeasuredTrace& trace,
                                                  const MeasuredTimelineOptions& options = {});

}  // namespace overlap
