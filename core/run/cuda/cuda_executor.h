#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "core/run/cuda/activity_recorder.h"
#include "core/run/cuda/devices.h"
#include "core/run/device_work.h"
#include "core/run/executor.h"
#include "core/run/group_placement.h"
#include "core/run/host_memory.h"
#include "core/run/memory_plan.h"
#include "core/run/operands.h"
#include "core/run/ranks.h"

namespace overlap::cuda {

class FusedAttention;

struct CudaOptions {
    int thread_blocks_of_emulation = 24;   ///< that an emulated collective holds
    bool as_cuda_graph = false;            ///< the second step is captured, those behind it replay it
    ActivityRecorder* recorder = nullptr;  ///< of kernels, where they are to be recorded; not with as_cuda_graph
    FusedAttention* attention = nullptr;   ///< of a plan with attentions; outlives the executor
    /// A step with real collectives that takes longer than this is given up.
    std::chrono::milliseconds longest_step{60'000};
};

/// What is run. All must outlive the executor.
struct CudaProgram {
    const Program& program;
    const ProgramOperands& operands;
    const MemoryPlan& memory;
    const HostMemory& host;
    const DevicePlan& plan;
    const std::vector<GroupPlacement>& placements;  ///< of each group of the program
    const std::vector<double>& times_ms;  ///< of each node, by the stream model: how long an emulated collective takes
};

/// Runs a program on one device: one stream for compute, one for each process group and one for copies to and from the
/// host, events between them, one pool of memory.
class CudaExecutor : public Executor {
  public:
    /// @throws InputError where the device cannot hold the pool or a library fails.
    CudaExecutor(const Device& device, const CudaProgram& program, Ranks& ranks, const CudaOptions& options);
    ~CudaExecutor() override;

    void begin_step() override;
    void compute(std::uint32_t index, const ComputeWork& work) override;
    void collective(std::uint32_t index, const CollectiveWork& work) override;
    void wait(std::uint32_t collective) override;
    void transfer(std::uint32_t index, const TransferWork& work) override;
    void wait_for_transfer(std::uint32_t transfer) override;
    double end_step() override;

    /// Activities since the last call; empty unless they are recorded.
    std::vector<NodeActivity> take_activities();
    /// Bytes of device memory that the run takes, with what NCCL and CUDA have allocated for it up to now: the decrease
    /// of free memory, or what was allocated where that is more.
    std::int64_t peak_bytes() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace overlap::cuda
