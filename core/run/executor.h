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
    /// Waits until everything that was launched has ended.
    /// @returns how long the step took on the device in milliseconds; nothing was measured where it is 0.
    virtual double end_step() = 0;
};

/// Everything but the kernels: follows the commands and checks that they can be carried out.
class DryExecutor : public Executor {
  public:
    explicit DryExecutor(const Program& program) : in_flight_(program.collectives.size()) {}

    void begin_step() override;
    void compute(std::uint32_t index, const ComputeWork& work) override;
    /// @throws InputError when it is launched twice in a step.
    void collective(std::uint32_t index, const CollectiveWork& work) override;
    /// @throws InputError when the collective has not been launched in this step.
    void wait(std::uint32_t collective) override;
    double end_step() override;

    /// Commands that were followed since the start.
    std::uint64_t commands() const { return commands_; }

  private:
    std::vector<bool> in_flight_;
    std::uint64_t commands_ = 0;
};

/// The commands of one step as text, one a line, for display: what is launched, on which stream, with which sizes.
std::string command_list(const Graph& graph, const Program& program);

}  // namespace overlap
