#include "core/io/calibration_run_file.h"

#include "core/base/error.h"
#include "core/io/profile_file.h"
#include "core/io/run_file.h"
#include "core/io/trace_file.h"
#include "core/plan/plan.h"
#include "core/trace/ranks_of_job.h"

namespace overlap {

namespace {

using Traces = std::span<const std::shared_ptr<const MeasuredTrace>>;

CalibrationRun run_of(const std::string& first_file, const std::shared_ptr<const Evaluation>& ran, Traces traces) {
    try {
        return run_of_ranks(first_file, ran, traces, align_ranks(traces), ProfileTables(read_profile_file(first_file)));
    } catch (const InputError& error) {
        throw error.file().empty() ? error.in_file(first_file) : error;
    }
}

}  // namespace

CalibrationRun read_runner_run(const std::string& file, const std::shared_ptr<const Evaluation>& ran) {
    const RunnerTimes times = read_run_file(file);
    if (fingerprint(*ran->graph).digest != times.graph_digest)
        throw InputError(file, "graph.digest", "it is of another graph than what it is said to have run");
    return run_of_runner(file, ran->graph, times);
}

std::vector<CalibrationRun> read_calibration_traces(std::span<const std::string> files,
                                                    const std::shared_ptr<const Evaluation>& ran) {
    std::vector<std::shared_ptr<const MeasuredTrace>> traces;
    for (const std::string& file : files) traces.push_back(read_trace_file(file));
    std::vector<CalibrationRun> runs;
    if (traces.empty()) return runs;
    if (are_ranks_of_one_job(traces)) {
        runs.push_back(run_of(files.front(), ran, traces));
        return runs;
    }
    for (std::size_t i = 0; i < traces.size(); ++i) runs.push_back(run_of(files[i], ran, Traces(traces).subspan(i, 1)));
    return runs;
}

}  // namespace overlap
