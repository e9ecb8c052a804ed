#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/memory_plan.h"
#include "core/run/program.h"

namespace overlap {

/// A stretch of the run's pool. Kernels never touch anything else.
struct PoolSpan {
    std::int64_t offset = 0, bytes = 0;
};

/// Where one command finds its tensors.
struct Operands {
    std::vector<PoolSpan> inputs;   ///< tensors among the operation's arguments, in order; those on a host are left out
    std::vector<PoolSpan> outputs;  ///< of compute: of the node; of a collective: one for each message
};

/// Operands of every compute command, collective and copy, by their indices in the program. A view's span starts
/// where its storage offset says and ends with its buffer at the latest.
struct ProgramOperands {
    std::vector<Operands> compute, collectives;
    /// Of each of Program::transfers: the tensor on the device that it reads or writes.
    std::vector<PoolSpan> transfers;
    /// Of each of Program::attentions: its tensors, each with all that its strides reach, or without bytes where it is
    /// not all in one buffer.
    std::vector<std::array<PoolSpan, attention_role_count>> attentions;
};

/// The `most` longest of the spans in their order: what a kernel works on that has no room for more.
std::vector<PoolSpan> longest_spans(const std::vector<PoolSpan>& spans, std::size_t most);

/// @throws InputError where a tensor that is copied to the host or back is not in the pool as a whole.
ProgramOperands find_operands(const Graph& graph, const Program& program, const MemoryPlan& memory);

}  // namespace overlap
