#include "app/arguments/profile_input.h"

#include <span>

#include "app/arguments/pipeline.h"
#include "core/base/error.h"
#include "core/base/problem.h"
#include "core/base/trace_origin.h"
#include "core/io/profile_file.h"

namespace overlap::commands {

void print_simulated_trace(const Streams& streams, const std::string& file) {
    Problem problem;
    problem.severity = Severity::caution;
    problem.kind = ProblemKind::simulated_times_as_measured;
    problem.message = nothing_was_measured;
    print_problems(streams, file, std::span(&problem, 1));
}

ProfileRecords read_profile(const std::string& file, const Streams& streams) {
    ProfileRecords records = read_profile_file(file);
    if (!records.has_events) throw InputError(file, "", "it has no traceEvents, so it is no profiler's trace");
    if (records.is_simulated) print_simulated_trace(streams, file);
    return records;
}

}  // namespace overlap::commands
