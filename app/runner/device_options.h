#pragma once

#include <cstdint>

namespace overlap::runner {

/// Options of a run on devices other than steps.
struct DeviceRunOptions {
    bool as_cuda_graph = false;           ///< a step is captured once and launched as a whole
    int thread_blocks_of_emulation = 24;  ///< as many as NCCL's rings take on an H100's links
    std::uint32_t recorded_steps = 5;     ///< of the pass in which kernels are recorded; 0 for none
};

}  // namespace overlap::runner
