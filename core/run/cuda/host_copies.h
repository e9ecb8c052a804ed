#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/run/cuda/device_objects.h"
#include "core/run/host_memory.h"

namespace overlap::cuda {

/// Copies of tensors to the host and back, on a stream of their own, as torch has one for each device
/// (torch/_functorch/_activation_offloading/offload_ops.py). Without copies there is neither stream nor memory.
class HostCopies {
  public:
    /// @param copies of one step. @param host where each lies; it must outlive this.
    HostCopies(std::size_t copies, const HostMemory& host);

    /// The copy starts behind what `compute` was given until now.
    void begin(std::uint32_t index, cudaStream_t compute);
    /// @param bytes at `on_device`.
    void copy(std::uint32_t index, bool to_host, void* on_device, std::int64_t bytes);
    void end(std::uint32_t index);
    /// What is issued on `compute` from now on begins after the copy.
    void hold(std::uint32_t index, cudaStream_t compute) const { finished_[index].hold(compute); }
    void hold_all(cudaStream_t compute) const;

  private:
    const HostMemory& host_;
    std::optional<PinnedMemory> memory_;
    std::optional<Stream> stream_;
    std::vector<Event> issued_, finished_;  ///< one a copy
};

}  // namespace overlap::cuda
