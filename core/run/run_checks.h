#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/device_work.h"
#include "core/run/group_placement.h"
#include "core/run/memory_plan.h"
#include "core/run/program.h"

namespace overlap {

/// Refuses a graph that cannot be run, before anything is launched.
/// @param device_memory_bytes what a device can hold; 0 where that is not known.
/// @throws InputError: a size that only the running job knows; a tensor larger than the device; a step that needs more
/// memory than the device has, with what it needs and at which node.
void check_runnable(const Graph& graph, const MemoryPlan& memory, const DevicePlan& device,
                    std::int64_t device_memory_bytes);

/// Refuses a collective that NCCL is to carry out and cannot. Groups that are emulated may hold any.
/// @param placements of each group of the program.
/// @throws InputError with the first such node and what NCCL lacks.
void check_collectives(const Graph& graph, const Program& program, const std::vector<GroupPlacement>& placements);

}  // namespace overlap
