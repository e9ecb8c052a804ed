#pragma once

#include <array>
#include <string>

#include "app/runner/runner_module.h"

namespace overlap::runner {

/// MPIs that are one another's substitute: the same functions, handles and numbers in the compiled program.
struct MpiKind {
    const char* name;                      ///< as OVERLAP_RUNNER_MPI has it
    const char* members;                   ///< which they are, in words
    std::array<const char*, 2> libraries;  ///< file names to try, in this order; null: no more
    RunnerModule module;
};

/// Open MPI 4 and 5: `libmpi.so.40` in both, whose version 5 has left out C++ alone.
extern const MpiKind open_mpi;
/// MPICH from 3.1 on, and what keeps to its interface: `libmpi.so.12`, which Debian calls `libmpich.so.12`.
extern const MpiKind mpich;

/// A library of MPI that has been loaded, for the rest of the process, with its functions seen by what is loaded later.
struct MpiLibrary {
    const MpiKind* kind = nullptr;
    std::string version;  ///< such as `Open MPI v4.1.4`
};

/// @throws InputError where the machine has none of the kind's libraries, or one that is of another kind.
MpiLibrary load_mpi_library(const MpiKind& kind);

}  // namespace overlap::runner
