// The module that needs MPI: see mpi_support.h.
#include "app/runner/mpi_support.h"
#include "core/run/mpi_ranks.h"

namespace overlap::runner {

namespace {

class LinkedMpi : public MpiSupport {
  public:
    std::unique_ptr<Ranks> ranks(int& argument_count, char**& arguments) const override {
        return mpi_ranks(argument_count, arguments);
    }
    std::string library_version() const override { return mpi_library_version(); }
};

}  // namespace

}  // namespace overlap::runner

/// The module's only entry.
extern "C" const overlap::runner::MpiSupport* overlap_mpi_support() {
    static const overlap::runner::LinkedMpi support;
    return &support;
}
