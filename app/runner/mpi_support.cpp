#include "app/runner/mpi_support.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "app/runner/runner_module.h"
#include "core/base/error.h"

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
    if (!has_starter()) return single_rank();
    std::unique_ptr<Ranks> ranks = mpi_support().ranks(argument_count, arguments);
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
        const char* const size = std::getenv(name);
        if (!size || size == std::to_string(ranks->size())) continue;
        throw InputError("MPI", "the starter says that there are " + std::string(size) + " ranks, and " +
                                    mpi_support().library_version() + " knows " + std::to_string(ranks->size()) +
                                    ": the starter is of another MPI than the one that this runner was built with");
    }
    return ranks;
}

}  // namespace overlap::runner
