#pragma once

#include <memory>

#include "core/run/ranks.h"

namespace overlap::runner {

/// The ranks that mpirun or srun have started with this one; initialises MPI, which ends with the object. Without such
/// a starter there is one rank.
/// @throws InputError where MPI cannot be initialised.
std::unique_ptr<Ranks> mpi_ranks(int& argument_count, char**& arguments);

}  // namespace overlap::runner
