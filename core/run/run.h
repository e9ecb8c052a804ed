#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/run/device_work.h"
#include "core/run/executor.h"
#include "core/run/group_placement.h"
#include "core/run/issue_order.h"
#include "core/run/measured_run.h"
#include "core/run/memory_plan.h"
#include "core/run/rank_measurements.h"
#include "core/run/ranks.h"

namespace overlap {

struct RunOptions {
    std::uint32_t warm_up = 3;  ///< steps before those that count
    std::uint32_t iterations = 20;
    /// A rank that comes to a step later than the others by more than this ends the run.
    std::chrono::milliseconds longest_wait{60'000};
    std::function<void(std::uint32_t done, std::uint32_t of)> progress;  ///< called after each step; may be empty
};

/// Runs the program's steps on all ranks: each begins when every rank is there.
/// @returns milliseconds of each step that counts, as this rank's executor measured them.
/// @throws InputError naming the rank that has not come to a step within RunOptions::longest_wait.
std::vector<double> run_steps(const Program& program, Executor& executor, Ranks& ranks, const RunOptions& options);

/// What is known of a run before and after it, on one rank.
struct RunRecord {
    bool dry = true;
    std::string graph_name, graph_digest;
    std::uint32_t node_count = 0;
    std::vector<std::string> machines;   ///< of each rank
    std::vector<GroupPlacement> groups;  ///< of each group of the program
    std::string order_digest;
    CompiledScope compiled = CompiledScope::eager;  ///< what of the graph is run as its compiler's kernels
    /// By the stream model, of the same.
    double predicted_step_ms = 0, predicted_exposed_ms = 0, predicted_transfer_exposed_ms = 0;
    bool predicted_as_traced = false;  ///< by the times of nodes as traced, not of the kernels that are run
    std::int64_t host_bytes = 0;  ///< pinned memory of the host for what is copied there
    RunOptions options;
    std::int64_t bytes_beside_pool = 0;              ///< DevicePlan::bytes_beside_pool()
    DeviceWorkTotals work;                           ///< how a device carries compute out
    std::map<std::string, std::string> environment;  ///< variables that change how CUDA and NCCL launch, by name
    std::vector<std::string> notes;                  ///< what is remarkable about the run, a clause each

    // Of a run on a device:
    std::vector<double> step_ms;                   ///< of each step that counts
    std::vector<RankMeasurement> ranks;            ///< what each rank has measured
    std::string device;                            ///< its name
    std::map<std::string, std::string> libraries;  ///< versions by name
    std::int64_t peak_memory_bytes = 0;            ///< that the run has allocated
    std::uint32_t recorded_steps = 0;              ///< in a pass of its own, since recording takes time
    /// Medians of those steps.
    double recorded_step_ms = 0, recorded_exposed_ms = 0, recorded_transfer_exposed_ms = 0;
    std::uint64_t activities_without_node = 0;
    std::vector<NodeMeasurement> nodes;
    std::vector<AlignedCollective> aligned;  ///< those that ran on several ranks, without the wait for late ones
    std::vector<double> modelled_ms;         ///< of each node, by the stream model: what emulations are to take
};

/// The result as a JSON object: `format` (`overlap-run`), `version`, `mode` (`dry_run` or `gpu`), `graph`, `ranks[]`
/// (`rank`, `machine`, and of a run on devices `step_ms` and `exposed_ms`), `groups[]` (`process_group`, `size`, `runs`
/// as `nccl` or `emulated`, `on_ranks`, `because`, `collectives`, `bytes`, `settings`), `commands`, `compiled` (what is
/// compiled: `eager`, `blocks`, `whole`), `work` (how many kernels are run as `own_products`, `scaled_products`,
/// `expert_products`, `attentions`, `stand_in_products`, `moved_bytes`; `fused_kernels` of them compute `fused_nodes`,
/// and `inlined_nodes` are computed where they are read), `memory`
/// (`scratch_bytes` is what is allocated beside the pool, `host_bytes` what is pinned on the host), `order_digest`,
/// `predicted`, `warm_up`, `iterations`, `environment`, `notes[]` and, of a run on a device, `step_ms`
/// (`median`, `minimum`, `maximum`, `all`), `device`, `libraries`, `peak_memory_bytes`, `recorded` (the pass in which
/// kernels were recorded; left out where none was) and `nodes[]` (`name`, `kind`, `median_ms`, `minimum_ms`,
/// `maximum_ms`; of a node that shares a kernel with others its part of it, and `kernel`, the node with which that is
/// launched; `ranks_ms` where several ranks ran, the median of each; of collectives `process_group`, `bytes` and
/// `exposed_ms`, too, of copies between device and host `bytes` and `exposed_ms`, `modelled_ms` where it was emulated,
/// and `late_peers_ms` where several ranks ran it: its times are then its own, without that wait).
std::string run_json(const Graph& graph, const Program& program, const MemoryPlan& memory, const RunRecord& record);

}  // namespace overlap
