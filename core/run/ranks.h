#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace overlap {

/// The processes of one run, of which this is one. Whatever starts them (mpirun, srun) also ends them.
class Ranks {
  public:
    virtual ~Ranks() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// How many ranks of a lower number run on this machine: which of its devices is this rank's.
    virtual int rank_on_machine() const = 0;
    virtual std::string machine() const = 0;

    /// Blocks until every rank has come here.
    virtual void barrier() = 0;
    /// Blocks until every rank has come here, and no longer than it may.
    /// @throws InputError naming a rank that has not come `longest` after rank 0, or rank 0 itself.
    virtual void meet(std::chrono::milliseconds longest) = 0;
    /// What rank 0 passes, on every rank.
    virtual std::string broadcast(const std::string& text) = 0;
    /// What each rank passes, in their order, on every rank.
    virtual std::vector<std::string> gather(const std::string& text) = 0;
    /// True where any rank passes true.
    virtual bool any(bool value) = 0;
    /// Ends all ranks at once; called where one of them cannot go on and the others would wait for it.
    /// @param status exit status of the run, not 0.
    [[noreturn]] virtual void end_all(int status) = 0;
};

/// The only process of a run.
std::unique_ptr<Ranks> single_rank();

}  // namespace overlap
