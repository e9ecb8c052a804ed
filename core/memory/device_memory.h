#pragma once

#include <cstdint>
#include <optional>

#include "core/base/problem.h"
#include "core/graph/graph.h"
#include "core/memory/memory_profile.h"

namespace overlap {

/// What the device holds by the graph's cost model; 0 where that is not known.
std::int64_t device_memory_bytes(const Graph& graph);

/// A caution where the step holds more at its peak than the device does; nothing where it fits or that is not known.
/// @param memory of the graph, by StorageRule::corrected: the peak of all outputs.
std::optional<Problem> memory_problem(const Graph& graph, const MemoryProfile& memory);

/// The same for a limit of the peak that somebody has set; 0: none.
std::optional<Problem> limit_problem(const Graph& graph, const MemoryProfile& memory, std::int64_t limit);

/// A caution where products are fused with their collective and their sizes do not follow from what they read: what
/// they return is then in no estimate of memory. PyTorch gives no such product a value, so its own estimate leaves out
/// all.
std::optional<Problem> uncounted_results_problem(const Graph& graph);

/// A caution where products or collectives have no tensors, as in graphs that were imported from a text without their
/// inputs' sizes: they count as nothing in times and memory.
std::optional<Problem> unknown_sizes_problem(const Graph& graph);

/// A caution where all tensors are on a CPU, as in graphs that were traced there: the device's memory counts none of
/// them. Where some are on a device, those of the CPU are rightly left out.
std::optional<Problem> memory_on_cpu_problem(const Graph& graph);

}  // namespace overlap
