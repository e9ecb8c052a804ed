#pragma once

#include <cstdint>
#include <vector>

#include "core/run/program.h"

namespace overlap {

/// Where what is copied to the host lies there: pinned memory in one piece, made before the first step.
struct HostMemory {
    /// Of each of Program::transfers, in bytes: where it writes, or what it reads.
    std::vector<std::int64_t> offsets;
    std::int64_t bytes = 0;
};

/// A stretch is used again when the last copy of it back to the device is awaited; to the end where none is.
HostMemory plan_host_memory(const Program& program);

}  // namespace overlap
