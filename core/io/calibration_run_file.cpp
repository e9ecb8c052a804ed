#include "core/io/calibration_run_file.h"

#include "core/base/error.h"
#include "core/io/profile_file.h"
#include "core/io/run_file.h"
#include "core/io/trace_file.h"
#include "core/measure/measured_comparison.h"
#include "core/plan/plan.h"

namespace overlap {

CalibrationRun read_calibration_run(const std::string& file, const std::shared_ptr<const Evaluation>& ran) {
    if (!is_run_file(file)) return read_calibration_trace(file, ran);
    const RunnerTimes times = read_run_file(file);
    if (fingerprint(*ran->graph).digest != times.graph_digest)
        throw InputError(file, "graph.digest", "it is of another graph than what it is said to have run");
    return run_of_runner(file, ran->graph, times);
}

CalibrationRun read_calibration_trace(const std::string& file, const std::shared_ptr<const Evaluation>& ran) {
    try {
        const MeasuredComparison comparison = compare_with_measurement(ran, measured_step(read_trace_file(file)));
        return run_of_trace(file, comparison, ProfileTables(read_profile_file(file)));
    } catch (const InputError& error) {
        throw error.file().empty() ? error.in_file(file) : error;
    }
}

}  // namespace overlap
