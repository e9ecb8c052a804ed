#pragma once

#include <memory>
#include <string>

#include "core/run/ranks.h"

namespace overlap::runner {

/// All of the runner that needs MPI: a module beside it, `overlap-runner-mpi.so`, so that one rank runs on machines
/// without. Handles of one MPI are another's pointers, so the module is for the MPI that it was built with: Open MPI 4
/// and 5 have the same, MPICH and its relatives another.
class MpiSupport {
  public:
    virtual ~MpiSupport() = default;
    /// See mpi_ranks().
    virtual std::unique_ptr<Ranks> ranks(int& argument_count, char**& arguments) const = 0;
    /// See mpi_library_version().
    virtual std::string library_version() const = 0;
};

/// The module, loaded with the first call.
/// @throws InputError where it does not exist (the runner was built without MPI) or cannot be loaded, with the library
/// that is missing.
const MpiSupport& mpi_support();

/// The ranks that a starter of MPI (mpirun, srun) has started with this one, by the variables that it sets; the only
/// one, without MPI, where none has.
/// @throws InputError where there is a starter, and MPI cannot be loaded or is of another kind than the starter: each
/// rank would take itself for the only one.
std::unique_ptr<Ranks> started_ranks(int& argument_count, char**& arguments);

}  // namespace overlap::runner
