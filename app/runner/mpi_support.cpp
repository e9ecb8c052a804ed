#include "app/runner/mpi_support.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "app/runner/runner_module.h"

namespace overlap::runner {

namespace {

const MpiSupport& load() {
    constexpr RunnerModule module{"overlap-runner-mpi.so",
                                  "overlap_mpi_support",
                                  true,  // MPI loads its own parts, which need it
                                  "this runner has no MPI",
                                  "it was built without, and runs as a single rank that no mpirun or srun has started",
                                  "MPI cannot be loaded"};
    using Entry = const MpiSupport* (*)();
    return *reinterpret_cast<Entry>(load_module(module))();
}

/// Open MPI's mpirun, starters that speak PMIx (srun, prun), and those that speak PMI (srun, MPICH's mpiexec).
bool has_starter() {
    constexpr std::array names = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
    return std::any_of(names.begin(), names.end(), [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

const MpiSupport& mpi_support() {
    static const MpiSupport& support = load();
    return support;
}

std::unique_ptr<Ranks> started_ranks(int& argument_count, char**& arguments) {
    return has_starter() ? mpi_support().ranks(argument_count, arguments) : single_rank();
}

}  // namespace overlap::runner
