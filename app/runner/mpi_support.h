#pragma once

#include <memory>
#include <string>

#include "core/run/ranks.h"

namespace overlap::runner {

/// All of the runner that needs MPI is in modules beside it, so that one rank runs on machines without. A program that
/// was compiled for one MPI can use another only where both have the same binary interface, and there are two of them:
/// that of Open MPI 4 and 5, and that of MPICH, Intel MPI, MVAPICH and Cray MPICH. Each has a module,
/// `overlap-runner-open-mpi.so` and `overlap-runner-mpich.so`. Neither is linked to a library: the runner loads the one
/// that the machine has, by the names under which it is installed, then the module for it.
///
/// Which kind is tried first is what OVERLAP_RUNNER_MPI says (`open-mpi` or `mpich`, and then no other is tried), else
/// by the variables that a starter of ranks sets, else by which of them `mpirun` is.

/// Which MPI the machine has, such as `Open MPI v4.1.4` or `MPICH 4.0.2`, as its library says; loads it.
/// @throws InputError where none can be loaded, with the reason for each kind.
std::string mpi_library_version();

/// The ranks that a starter of MPI (mpirun, srun) has started with this one, by the variables that it sets; the only
/// one, without MPI, where none has.
/// @throws InputError where there is a starter, and MPI cannot be loaded or is of another kind than the starter: each
/// rank would take itself for the only one.
std::unique_ptr<Ranks> started_ranks(int& argument_count, char**& arguments);

}  // namespace overlap::runner
