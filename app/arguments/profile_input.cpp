#include "app/arguments/profile_input.h"

#include <ostream>

#include "app/arguments/pipeline.h"
#include "core/base/problem.h"
#include "core/base/trace_origin.h"
#include "core/io/profile_file.h"

namespace overlap::commands {

ProfileRecords read_profile(const std::string& file, const Streams& streams) {
    ProfileRecords records = read_profile_file(file);
    if (records.is_simulated) {
        Problem problem;
        problem.severity = Severity::caution;
        problem.kind = ProblemKind::simulated_times_as_measured;
        problem.message = nothing_was_measured;
        streams.notes << "overlap: " << problem_line(file, problem) << '\n';
    }
    return records;
}

}  // namespace overlap::commands
