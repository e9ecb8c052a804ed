#pragma once

#include <cstdint>
#include <span>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/memory/memory_operators.h"

namespace overlap::memory {

/// An offloaded tensor, the wait for its copy, and that wait's third argument, the last forward use of the tensor's
/// memory, or no_node.
struct OffloadWait {
    NodeId node, wait, last_use;
};

/// Moves waits for copies to the host to the end of a later stretch of forward nodes of one layer, so that compute
/// hides the copies (torchtitan/experiments/graph_trainer/cpu_offload.py, `defer_offload_waits`).
/// @param stretches how many stretches behind the tensor's own, never before the last use; greater than 0.
void defer_offload_waits(GraphEditor& editor, std::span<const OffloadWait> waits, std::int64_t stretches);

/// Moves the starts of copies back to the device to the beginning of an earlier layer's backward part (the same file,
/// `prefetch_reloads`). @param layers how many layers earlier; greater than 0.
void prefetch_reloads(GraphEditor& editor, const MemoryOperators& operators, std::int64_t layers);

}  // namespace overlap::memory
