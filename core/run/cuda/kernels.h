#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace overlap::cuda {

/// Memory that a kernel reads or writes: whole 16-byte words, from an aligned address.
struct MemorySpan {
    void* address = nullptr;
    std::int64_t bytes = 0;
};

/// What a kernel that moves bytes does: reads `read_bytes`, going round in its inputs where they have fewer, and writes
/// `written_bytes`, going round in its outputs. A kernel that the job's compiler fused has many; more than fit here are
/// left out of the addresses, not of the bytes. Spans that are not used have no bytes.
struct MoveArguments {
    static constexpr int most_spans = 24;
    MemorySpan inputs[most_spans];
    MemorySpan outputs[most_spans];
    std::int64_t read_bytes = 0, written_bytes = 0;
};

/// Once for each device before the first launch: asks for the shared memory that emulations hold.
/// @returns cudaErrorNoKernelImageForDevice where the kernels were not compiled for the current device.
cudaError_t prepare_kernels();

/// Launches on `stream` with enough blocks for `multiprocessors`.
cudaError_t launch_move(const MoveArguments& arguments, int multiprocessors, cudaStream_t stream);

/// Replaces a collective that cannot be run.
struct HoldArguments {
    MemorySpan from, to;     ///< bytes go round in both
    std::int64_t bytes = 0;  ///< moved in all, evenly over `duration_ns`
    std::int64_t duration_ns = 0;
    int thread_blocks = 24;  ///< that it holds for that time, each with shared memory as NCCL's
};

/// Launches a kernel that holds its thread blocks for the duration and moves the bytes at that even rate, as far as the
/// device's memory lets it in that time.
cudaError_t launch_hold(const HoldArguments& arguments, cudaStream_t stream);

}  // namespace overlap::cuda
