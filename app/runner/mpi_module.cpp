// One of the modules that are compiled for one kind of MPI: see mpi_support.h.
#include "app/runner/mpi_ranks.h"

/// The module's only entry. The caller owns the result. @throws InputError, see mpi_ranks().
extern "C" overlap::Ranks* overlap_mpi_ranks(int* argument_count, char*** arguments) {
    return overlap::runner::mpi_ranks(*argument_count, *arguments).release();
}
