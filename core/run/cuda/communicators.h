#pragma once

#include <nccl.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/group_placement.h"
#include "core/run/program.h"
#include "core/run/ranks.h"

namespace overlap::cuda {

/// One NCCL communicator for each process group that is run for real, none for the others.
class Communicators {
  public:
    /// Each is set up with its placement's settings. Every rank calls this with placements of the same groups; they are
    /// set up one after the other.
    Communicators(const std::vector<ProcessGroup>& groups, const std::vector<GroupPlacement>& placements, Ranks& ranks);
    ~Communicators();
    Communicators(const Communicators&) = delete;
    Communicators& operator=(const Communicators&) = delete;

    /// Whether any group is run for real.
    bool any() const;
    bool has(std::uint32_t group) const { return communicators_[group] != nullptr; }

    /// Launches a collective of a real group. @param inputs, outputs addresses, one for each message.
    /// @throws InputError where NCCL does not know the element type, or the launch fails.
    void launch(const CollectiveWork& work, const std::vector<const void*>& inputs, const std::vector<void*>& outputs,
                cudaStream_t stream);

    /// Aborts all communicators, with what they still run; nothing can be launched any more.
    void abort();

    /// @throws InputError where a communicator has failed since the last call, with the group's name.
    void check_health() const;

  private:
    std::vector<std::string> names_;
    std::vector<ncclComm_t> communicators_;
    std::vector<int> sizes_;
};

}  // namespace overlap::cuda
