#include "app/runner/mpi_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace overlap::runner {

namespace {

constexpr const char *entry_point = "overlap_mpi_ranks", *broken = "the module for MPI cannot be loaded";

/// The first line without what says who built it and where: `MPICH Version:      4.0.2` is `MPICH 4.0.2`.
std::string short_version(std::string_view all) {
    std::string text;
    for (const char byte : all.substr(0, all.find_first_of(",\n"))) {
        const bool is_space = std::isspace(static_cast<unsigned char>(byte)) != 0;
        if (!is_space) text.push_back(byte);
        if (is_space && !text.empty() && text.back() != ' ') text.push_back(' ');
    }
    constexpr std::string_view word = " Version:";
    if (const std::size_t at = text.find(word); at != std::string::npos) text.erase(at, word.size());
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

/// What the library says of itself, which it may be asked before it is initialised. Empty where it has no such
/// function.
std::string version_of(void* library) {
    using Ask = int (*)(char*, int*);
    const auto ask = reinterpret_cast<Ask>(dlsym(library, "MPI_Get_library_version"));
    if (!ask) return {};
    std::vector<char> text(std::size_t{1} << 14);  // more than MPI_MAX_LIBRARY_VERSION_STRING of any
    int length = 0;
    ask(text.data(), &length);
    return short_version({text.data(), std::min(text.size(), static_cast<std::size_t>(std::max(0, length)))});
}

const MpiKind& kind_of(std::string_view version) {
    return version.starts_with("Open MPI") ? open_mpi : mpich;
}

}  // namespace

const MpiKind open_mpi{"open-mpi",
                       "Open MPI 4 or 5",
                       {"libmpi.so.40", nullptr},
                       {"overlap-runner-open-mpi.so", entry_point, "this runner has no module for Open MPI",
                        "it was built where Open MPI's headers were missing", broken}};

const MpiKind mpich{"mpich",
                    "MPICH, Intel MPI, MVAPICH or Cray MPICH",
                    {"libmpi.so.12", "libmpich.so.12"},
                    {"overlap-runner-mpich.so", entry_point, "this runner has no module for MPICH",
                     "it was built where MPICH's headers were missing", broken}};

MpiLibrary load_mpi_library(const MpiKind& kind) {
    std::string reason;
    for (const char* const name : kind.libraries) {
        if (!name) break;
        void* const library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
        if (!library) {
            const char* const said = dlerror();
            if (!reason.empty()) reason += "; ";
            reason += said ? said : name;
            continue;
        }
        const std::string version = version_of(library);
        if (!version.empty() && &kind_of(version) == &kind) return {&kind, version};
        reason = std::string(name).append(" says that it is \"").append(version).append("\"");
        dlclose(library);
    }
    throw InputError(kind.members, reason);
}

}  // namespace overlap::runner
