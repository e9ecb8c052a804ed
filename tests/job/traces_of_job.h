#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/files/json_writer.h"
#include "core/job/job_evaluation.h"

namespace overlap::test {

/// How a profiler's trace of a rank differs from what is simulated.
struct TraceOfRankOptions {
    double clock_ms = 0;           ///< what the rank's clock is ahead
    bool names_actions = true;     ///< `PP:3F5`, as torch.distributed.pipelining annotates them
    std::int64_t world_size = -1;  ///< -1: as it is
    std::int64_t rank = -1;        ///< -1: as it is
    bool names_groups = false;     ///< collectives say their process group: that of the stage
    bool simulated = false;        ///< says that nothing was measured
    double optimizer_ms = -1;      ///< when its optimizer begins; -1: after the job's step
};

/// A trace as Kineto writes one of a rank of a job that ran as `ran` says: two steps, of which the last is cut off, a
/// kernel for each action, launched under its annotation, one for its gradients, and one for the optimizer.
inline std::string trace_of_rank(const job::JobEvaluation& ran, std::int64_t rank,
                                 const TraceOfRankOptions& options = {}) {
    const job::PipelineStep& step = *ran.pipeline;
    const auto figures = ran.result.ranks[static_cast<std::size_t>(rank)].figures;
    const auto ranks = static_cast<std::size_t>(step.ranks());
    const auto base = static_cast<job::NodeIndex>(figures / ranks * step.pieces.size());
    JsonWriter json;
    json.begin_object().member("schemaVersion", std::int64_t{1});
    if (options.simulated) json.key("otherData").begin_object().member("times", "simulated").end_object();
    json.key("distributedInfo").begin_object().member("backend", "nccl");
    json.member("rank", options.rank < 0 ? rank : options.rank);
    json.member("world_size",
                options.world_size < 0 ? static_cast<std::int64_t>(ran.result.ranks.size()) : options.world_size);
    json.end_object().key("traceEvents").begin_array();
    std::int64_t correlation = 0;
    const auto event = [&](std::string_view category, const std::string& name, std::int64_t process,
                           std::int64_t thread, double start_ms, double length_ms) -> JsonWriter& {
        json.begin_object().member("ph", "X").member("cat", category).member("name", std::string_view(name));
        json.member("pid", process).member("tid", thread).member("ts", (start_ms + options.clock_ms) * 1e3);
        return json.member("dur", length_ms * 1e3);
    };
    const auto kernel = [&](const std::string& name, std::int64_t stream, double launch_ms, double start_ms,
                            double length_ms) {
        ++correlation;
        event("cuda_runtime", "cudaLaunchKernel", 1, 1, launch_ms, 1e-3).key("args").begin_object();
        json.member("correlation", correlation).end_object().end_object();
        event("kernel", name, 0, stream, start_ms, length_ms).key("args").begin_object();
        json.member("correlation", correlation).member("stream", stream).member("device", std::int64_t{0});
        if (options.names_groups && stream == 20) {
            const std::string stage = std::to_string(figures % ranks);
            json.member("Collective name", "_reduce_scatter_base")
                .member("Process Group Name", std::string_view(stage));
            json.member("Process Group Ranks", "[0, 1]").member("Seq", correlation);
        }
        json.end_object().end_object();
    };
    // The host is ahead of its GPU: it launches a step's actions in its first millisecond.
    const double host_ms = 1000, step_ms = ran.times.step_ms;
    double host = host_ms + 0.01;
    const auto annotated = [&](const std::string& name, std::int64_t stream, std::string_view kernel_name, double start,
                               double end) {
        if (options.names_actions) event("user_annotation", "PP:" + name, 1, 1, host, 8e-3).end_object();
        kernel(std::string(kernel_name), stream, host + 2e-3, host_ms + 10 + start, end - start);
        host += 0.01;
    };
    event("user_annotation", "ProfilerStep#3", 1, 1, host_ms, step_ms + 50).end_object();
    const std::size_t row = figures % ranks;
    for (std::uint32_t piece = step.row_begin[row]; piece < step.row_begin[row + 1]; ++piece)
        if (step.pieces[piece].role == job::PieceRole::action)
            annotated(ran.names.op(base + piece), 7, "gemm", ran.times.start[base + piece],
                      ran.times.end[base + piece]);
    for (std::uint32_t piece = step.row_begin.back(); piece < step.pieces.size(); ++piece)
        if (step.pieces[piece].rank == row)
            annotated(std::to_string(step.pieces[piece].cell) + "REDUCE_GRAD", 20,
                      "ncclDevKernel_ReduceScatter_Sum_f32", ran.times.start[base + piece],
                      ran.times.end[base + piece]);
    kernel("adamw", 7, host + 1, host_ms + 10 + (options.optimizer_ms < 0 ? step_ms + 1 : options.optimizer_ms), 2);
    event("user_annotation", "ProfilerStep#4", 1, 1, host_ms + step_ms + 60, 10).end_object();
    kernel("gemm", 7, host_ms + step_ms + 61, host_ms + step_ms + 62, 1);
    json.end_array().end_object();
    return json.take();
}

}  // namespace overlap::test
