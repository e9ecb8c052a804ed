#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/memory/memory_profile.h"
#include "core/simulate/contention.h"
#include "core/simulate/issue_order.h"
#include "core/simulate/simulation.h"

namespace overlap {

/// A step of a job that runs the graph several times for it.
struct AccumulatedStep {
    std::int64_t microbatches = 1;
    double ms = 0;  ///< of all, with what the job does beside the graph
};

/// What a simulation's figures are printed with.
struct SimulationContext {
    const AppliedContention* contention = nullptr;  ///< what slowed it; may be null
    std::optional<double> beside_ms{};  ///< what the job does beside the graph: clipping and the optimizer, if priced
    std::optional<AccumulatedStep> accumulated{};
    IssueOrder order{};  ///< in which explanations say what would help
    /// Process groups that shared a link, a list for each such link.
    std::span<const std::vector<std::string>> shared_links{};
};

/// What `overlap simulate --json` prints: one object with `step_ms`, `compute_ms`, `exposed_ms`, `idle_ms`,
/// `transfer_exposed_ms`, `peak_memory_bytes`, `torch_peak_memory_bytes`, `peak` (`node` at which it is reached first
/// or null, `by_kind` and `modules[]` with `module`, `bytes`, `by_kind`), `device_memory_bytes` (null where it is not
/// known), `problems[]`
/// (`severity`, `kind`, `message`, `nodes`: a peak beyond that memory), `groups[]` (`process_group`, `comm_ms`,
/// `exposed_ms`, `collectives`) and `collectives[]` in order of issue (`name`, `wait`, `kind`, `process_group`,
/// `bytes`, `start_ms`, `end_ms`, `exposed_ms`, `cause`, `blocker`, `explanation`). `wait` and `blocker` are null where
/// there is none; `transfers[]` are copies to the host and back (`name`, `wait`, `to_host`, `bytes`, times);
/// `explanation` is there for exposed collectives only. `cost_model` names the model that times are of,
/// null where it has no name or the times are the graph's own; `contention` is null, or the factors that slowed the
/// step: `compute_slowdown` by class, `communication_slowdown`, `shared_links`. `beside_ms` is null unless the context
/// has it; `accumulated` is null, or `microbatches` and the `ms` of all. `shared_links[]` has a list of process groups
/// for each link that several of them shared.
/// @param memory by StorageRule::corrected; the peak by torch's estimator is computed here.
std::string simulation_json(const Graph& graph, const Simulation& simulation, const MemoryProfile& memory,
                            const SimulationContext& context = {});

}  // namespace overlap
