#pragma once

#include <string>

#include "core/simulate/memory_profile.h"
#include "core/simulate/simulation.h"

namespace overlap {

/// What `overlap simulate --json` prints: one object with `step_ms`, `compute_ms`, `exposed_ms`, `peak_memory_bytes`,
/// `corrected_peak_memory_bytes`, `groups[]` (`process_group`, `comm_ms`, `exposed_ms`, `collectives`) and
/// `collectives[]` in order of issue (`name`, `wait`, `kind`, `process_group`, `bytes`, `start_ms`, `end_ms`,
/// `exposed_ms`, `cause`, `blocker`, `explanation`). `wait` and `blocker` are null where there is none; `explanation`
/// is there for exposed collectives only. The corrected peak is reckoned here, by StorageRule::corrected.
/// @param memory by StorageRule::reference.
std::string simulation_json(const Graph& graph, const Simulation& simulation, const MemoryProfile& memory);

}  // namespace overlap
