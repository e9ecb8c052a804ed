#pragma once

#include <string>

#include "core/base/error.h"
#include "core/job/document/job_file.h"
#include "core/job/run_job.h"

namespace overlap::job {

/// Two programs with operations of all kinds, and with fields that are not known.
inline constexpr const char* programs_document = R"({"format": "overlap-job", "version": 1, "groups": {"g": [0, 1]},
 "programs": [{"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 3, "label": 7},
     {"id": "b", "kind": "batch", "ops": [{"id": "s", "kind": "send", "peer": 1, "bytes": 4}]},
     {"id": "x", "kind": "collective", "group": "g", "after": ["k"], "stream": "side", "ms": 1}]},
   {"rank": 1, "ops": [{"id": "r", "kind": "recv", "peer": 0, "bytes": 4, "ms": 2},
     {"id": "x", "kind": "collective", "group": "g", "ms": 1}]}]})";

/// Where a document is refused and why, or nothing where it is not.
inline std::string document_problem(const std::string& text) {
    try {
        run_job(read_job_text(text, "x.job.json"));
    } catch (const InputError& error) {
        return error.place() + "|" + error.problem();
    }
    return "";
}

}  // namespace overlap::job
