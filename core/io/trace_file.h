#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/files/gzip_reader.h"
#include "core/trace/measured_trace.h"

namespace overlap {

/// How a trace is read.
struct TraceReading {
    std::stop_token stop;
    /// Called about once a megabyte, and between the parts of the work after the last one, with the bytes of the file
    /// that have been read, and that it has (0: unknown).
    std::function<void(std::uint64_t done, std::uint64_t of)> progress;
};

/// Reads a profiler's trace, Kineto's or any other in Chrome's trace event format: an object with `traceEvents`, or the
/// bare list of events, which may lack its closing bracket. Plain or gzip, detected by content. Of the text, no more
/// than a window is in memory at a time.
/// @return nothing when stopped.
/// @throws InputError with file and place (`traceEvents[12], byte 345`): cannot be read, damaged, truncated, not a
/// trace, an event without `ph` or `ts` or with a time that is no number.
std::shared_ptr<const MeasuredTrace> read_trace_file(const std::string& path, const TraceReading& reading = {});

/// The same from bytes. @param name stands for the file in messages.
std::shared_ptr<const MeasuredTrace> read_trace_bytes(std::string_view bytes, const std::string& name,
                                                      const TraceReading& reading = {});

/// The JSON text of an event as the file has it, with all args, of which a trace keeps only the place. Reads a plain
/// file from that place on, and decompresses a gzip file up to it.
/// @param checkpoints what an earlier call left for the same file: gzip is then decompressed from the last place before
/// the event. Empty at first.
/// @throws InputError: cannot be read, or is no longer the file that the trace was read from.
std::string read_trace_event(const std::string& path, const MeasuredTrace& trace, std::uint32_t event,
                             GzipCheckpoints& checkpoints);
std::string read_trace_event(const std::string& path, const MeasuredTrace& trace, std::uint32_t event);

}  // namespace overlap
