#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <memory>
#include <string>

#include "core/run/attention.h"
#include "core/run/cuda/devices.h"

namespace overlap::cuda {

/// Attentions as one kernel each, or a few in the backward pass, by cuDNN where it is found. Not shared by threads.
class FusedAttention {
  public:
    /// @param device that all of this thread's work is for.
    explicit FusedAttention(const Device& device);
    ~FusedAttention();
    FusedAttention(const FusedAttention&) = delete;
    FusedAttention& operator=(const FusedAttention&) = delete;

    /// Whether cuDNN has kernels for the shape on the device that is set. They are chosen, and compiled where they have
    /// to be, by the first question.
    bool runs(const AttentionShape& shape);

    /// Why no shape runs, or the first that cuDNN has no kernels for, a clause; empty where all that were asked run.
    const std::string& obstacle() const;
    /// Such as 9.19.0; empty without cuDNN.
    std::string version() const;
    /// The most that the kernels of what runs need for themselves.
    std::int64_t workspace_bytes() const;

    /// Where an attention's tensors lie, by role, and other memory that it needs.
    struct Memory {
        std::array<void*, attention_role_count> tensors{};
        void* accumulators = nullptr;  ///< attention_accumulators() bytes
        void* workspace = nullptr;     ///< workspace_bytes()
    };
    /// @pre runs(shape). @throws InputError
    void launch(const AttentionShape& shape, const Memory& memory, cudaStream_t stream);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace overlap::cuda
