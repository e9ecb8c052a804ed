#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/io/trace_file.h"
#include "core/job/document/job_file.h"
#include "core/job/measured/measured_over_job.h"
#include "core/job/run_job.h"
#include "tests/job/traces_of_job.h"

namespace overlap::job::test {

/// A pipeline with two replicas.
inline std::string job_text(const std::string& variation, int stages = 4, int microbatches = 6) {
    std::string text = R"({"format": "overlap-job", "version": 1, "name": "x", "stages": [)";
    for (int stage = 0; stage < stages; ++stage)
        text.append(stage ? ", " : "").append(R"({"ms": {"F": 2, "B": 4}, "gradient_sync_ms": 3})");
    return text + R"(], "schedule": {"name": "1F1B", "microbatches": )" + std::to_string(microbatches) +
           R"(}, "transfer": {"activations_ms": 0.25, "gradients_ms": 0.125}, "replicas": 2)" + variation + "}";
}
/// A variation in which the host of one stage is slow.
inline const std::string slow_host = R"(, "variation": {"slow": [{"replica": 0, "stage": 2, "factor": 1.5}]})";

inline std::shared_ptr<const JobEvaluation> evaluated(const std::string& text) {
    return evaluate_job(std::make_shared<const JobDocument>(read_job_text(text, "x")));
}

/// What the profiler would write of a rank.
inline NamedTrace trace(const JobEvaluation& ran, std::int64_t rank,
                        const overlap::test::TraceOfRankOptions& options = {}) {
    const std::string file = "rank" + std::to_string(rank) + ".json";
    return {file, read_trace_bytes(overlap::test::trace_of_rank(ran, rank, options), file)};
}
inline std::vector<NamedTrace> traces(const JobEvaluation& ran, std::vector<std::int64_t> ranks) {
    std::vector<NamedTrace> all;
    for (const std::int64_t rank : ranks) all.push_back(trace(ran, rank));
    return all;
}
inline MeasuredOverJob over(const JobEvaluation& job, std::span<const NamedTrace> traces) {
    return measured_over_job(job, std::make_shared<const MeasuredJob>(measured_job(job, traces)));
}

}  // namespace overlap::job::test
