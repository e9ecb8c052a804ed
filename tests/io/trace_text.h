#pragma once

#include <memory>
#include <string>

#include "core/io/trace_file.h"

namespace overlap::test {

/// A trace of these entries of `traceEvents`. @param members further members of the document, each behind a comma.
inline std::shared_ptr<const MeasuredTrace> trace_of(const std::string& events, const std::string& members = "") {
    return read_trace_bytes(R"({"schemaVersion": 1, "traceEvents": [)" + events + "]" + members + "}", "trace.json");
}

/// A complete event; the numbers are microseconds. @param more further members, each behind a comma.
inline std::string event_text(const std::string& category, const std::string& name, const std::string& start,
                              const std::string& duration, const std::string& more = "") {
    return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": 100, "tid": 101, "ts": )" +
           start + R"(, "dur": )" + duration + more + "}";
}

/// A GPU event on a stream of GPU 0. @param more further args, each behind a comma.
inline std::string gpu_text(const std::string& category, const std::string& name, const std::string& stream,
                            const std::string& start, const std::string& duration, const std::string& correlation,
                            const std::string& more = "") {
    return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": 0, "tid": )" + stream +
           R"(, "ts": )" + start + R"(, "dur": )" + duration + R"(, "args": {"device": 0, "stream": )" + stream +
           R"(, "correlation": )" + correlation + more + "}}";
}

/// The call that launches a GPU event.
inline std::string launch_text(const std::string& start, const std::string& correlation) {
    return event_text("cuda_runtime", "cudaLaunchKernel", start, "1",
                      R"(, "args": {"correlation": )" + correlation + "}");
}

}  // namespace overlap::test
