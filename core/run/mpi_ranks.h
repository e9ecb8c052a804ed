#pragma once

#include <memory>
#include <string>

#include "core/run/ranks.h"

namespace overlap {

/// The ranks that mpirun or srun have started with this one; initialises MPI, which ends with the object. Without such
/// a starter there is one rank.
/// @throws InputError where MPI cannot be initialised.
std::unique_ptr<Ranks> mpi_ranks(int& argument_count, char**& arguments);

/// Which MPI this is, such as `Open MPI v4.1.4`; can be asked for before and after the ranks are there.
std::string mpi_library_version();

}  // namespace overlap
