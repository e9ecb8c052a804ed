#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/program.h"

namespace overlap {

/// Launches the commands of a program, in the order in which they come. Nothing but end_step() waits for a device.
class Executor {
  public:
    virtual ~Executor() = default;
    virtual void begin_step() = 0;
    virtual void compute(std::uint32_t index, const ComputeWork& work) = 0;
    virtual void collective(std::uint32_t index, const CollectiveWork& work) = 0;
    virtual void wait(std::uint32_t collective) = 0;
    virtual void transfer(std::uint32_t index, const TransferWork& work) = 0;
    virtual void wait_for_transfer(std::uint32_t transfer) = 0;
    /// Waits until everything that was launched has ended.
    /// @returns how long the step took on the device in milliseconds; nothing was measured where it is 0.
    virtual double end_step() = 0;
};

/// Everything but the kernels: follows the commands and checks that they can be carried out.
class DryExecutor : public Executor {
  public:
    explicit DryExecutor(const Program& program)
        : in_flight_(program.collectives.size()), copying_(program.transfers.size()) {}

    void begin_step() override;
    void compute(std::uint32_t index, const ComputeWork& work) override;
    /// @throws InputError when it is launched twice in a step.
    void collective(std::uint32_t index, const CollectiveWork& work) override;
    /// @throws InputError when the collective has not been launched in this step.
    void wait(std::uint32_t collective) override;
    /// @throws InputError when it is started twice in a step, or brings back what has not been copied to the host in
    /// it.
    void transfer(std::uint32_t index, const TransferWork& work) override;
    /// @throws InputError when the copy has not been started in this step.
    void wait_for_transfer(std::uint32_t transfer) override;
    double end_step() override;

    /// Commands that were followed since the start.
    std::uint64_t commands() const { return commands_; }

  private:
    std::vector<bool> in_flight_, copying_;  ///< collectives and copies that were launched in this step
    std::uint64_t commands_ = 0;
};

/// The commands of one step as text, one a line, for display: what is launched, on which stream, with which sizes.
std::string command_list(const Graph& graph, const Program& program);

}  // namespace overlap
