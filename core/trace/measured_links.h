#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/trace/measured_trace_builder.h"

namespace overlap {

// What MeasuredTraceBuilder::finish() finds between the events of a trace. `between` is its own.

/// Sets the launch and the operator of each activity, and counts what is missing on either side. A launch is found by
/// its correlation alone: clocks of host and GPU may differ so much that a kernel seems to start before its launch.
void link_launches(const MeasuredTrace& trace, std::span<GpuActivity> activities, TraceRemarks& remarks,
                   const std::function<void()>& between);

struct CollectiveTables {
    std::vector<MeasuredCollective> collectives;
    std::vector<MeasuredGroup> groups;
    std::uint64_t unreadable_group_ranks = 0;
};

/// Sets what each activity works for and its collective. @param arguments ascends by event.
CollectiveTables find_collectives(const MeasuredTrace& trace, std::span<const CollectiveArguments> arguments,
                                  std::span<GpuActivity> activities, const std::function<void()>& between);

/// Whether a kernel of this name communicates: NCCL's `ncclKernel…`, `ncclDevKernel…`, `ncclSymkDevKernel…` and those
/// of torch's symmetric memory.
bool is_communication_kernel(std::string_view name);

/// The kind that a `Collective name`, an annotation `nccl:…` or a kernel's name indicates; none where it indicates
/// nothing.
CollectiveKind collective_kind_of(std::string_view name);

}  // namespace overlap
