#include "app/runner/mpi_support.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "app/runner/mpi_library.h"
#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap::runner {

namespace {

constexpr const char* choice_variable = "OVERLAP_RUNNER_MPI";

bool is_set(const char* name) {
    return std::getenv(name) != nullptr;
}

/// Open MPI's mpirun, starters that speak PMIx (srun, prun), and those that speak PMI (srun, MPICH's mpiexec).
bool has_starter() {
    constexpr std::array names = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
    return std::any_of(names.begin(), names.end(), is_set);
}

/// The program that `mpirun` is, through all links.
std::filesystem::path mpirun_program() {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::error_code missing;
        const std::filesystem::path program = std::filesystem::canonical(folder + "/mpirun", missing);
        if (!missing) return program;
    }
    return {};
}

/// By its name, as where both kinds lie in one folder, or by what lies beside it, as with Intel's, which is a script.
bool is_mpichs(const std::filesystem::path& program) {
    const std::string name = program.filename().string();
    if (name.find("hydra") != std::string::npos || name.find("mpich") != std::string::npos) return true;
    const std::filesystem::path folder = program.parent_path();
    std::error_code unknown;
    return !program.empty() && std::filesystem::exists(folder / "mpiexec.hydra", unknown) &&
           !std::filesystem::exists(folder / "ompi_info", unknown);
}

bool starter_is_mpichs() {
    if (is_set("OMPI_COMM_WORLD_SIZE")) return false;
    if (is_set("PMI_RANK") || is_set("PMI_SIZE")) return true;
    if (is_set("PMIX_RANK")) return false;
    return is_mpichs(mpirun_program());
}

/// The kinds to try, in order.
std::vector<const MpiKind*> kinds_to_try() {
    const char* const choice = std::getenv(choice_variable);
    if (!choice || !*choice) {
        if (starter_is_mpichs()) return {&mpich, &open_mpi};
        return {&open_mpi, &mpich};
    }
    for (const MpiKind* const kind : {&open_mpi, &mpich})
        if (std::string_view(choice) == kind->name) return {kind};
    throw InputError(choice_variable, "found " + in_quotes(choice) + ", expected \"open-mpi\" or \"mpich\"");
}

struct LoadedMpi {
    MpiLibrary library;
    using Entry = Ranks* (*)(int*, char***);
    Entry ranks = nullptr;
    std::string passed_over;  ///< why the kind that was to be tried first is not this one; empty where it is
};

LoadedMpi load() {
    std::string reasons;
    for (const MpiKind* const kind : kinds_to_try()) {
        LoadedMpi loaded;
        try {
            // First the module, since what a library has loaded stays: functions of two kinds would be mixed up.
            require_module(kind->module);
            loaded.library = load_mpi_library(*kind);
        } catch (const InputError& error) {
            if (!reasons.empty()) reasons += "; ";
            reasons += error.what();
            continue;
        }
        loaded.ranks = reinterpret_cast<LoadedMpi::Entry>(load_module(kind->module));
        loaded.passed_over = reasons;
        return loaded;
    }
    throw InputError("no MPI can be loaded", reasons);
}

const LoadedMpi& loaded_mpi() {
    static const LoadedMpi loaded = load();
    return loaded;
}

/// @throws InputError where the starter says that there are other than `size` ranks.
void require_ranks_of_starter(int size) {
    const LoadedMpi& mpi = loaded_mpi();
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
        const char* const started = std::getenv(name);
        if (!started || started == std::to_string(size)) continue;
        std::string reason = "the starter says that there are ";
        reason.append(started).append(" ranks, and ").append(mpi.library.version).append(" knows ");
        reason.append(std::to_string(size)).append(": the starter is of another MPI");
        if (!mpi.passed_over.empty()) reason.append(", which cannot be loaded: ").append(mpi.passed_over);
        throw InputError("MPI", reason);
    }
}

}  // namespace

std::string mpi_library_version() {
    return loaded_mpi().library.version;
}

std::unique_ptr<Ranks> started_ranks(int& argument_count, char**& arguments) {
    if (!has_starter()) return single_rank();
    std::unique_ptr<Ranks> ranks(loaded_mpi().ranks(&argument_count, &arguments));
    require_ranks_of_starter(ranks->size());
    return ranks;
}

}  // namespace overlap::runner
