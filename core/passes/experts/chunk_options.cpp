#include "core/passes/experts/chunk_options.h"

#include <string>

#include "core/base/error.h"

namespace overlap::experts {

PassOption mode_option() {
    return {.name = "mode",
            .help =
                "What is halved: the sequences of the batch (batch) or the tokens of each (seq); both cut the "
                "first dimension of the inputs.",
            .choices = {"batch", "seq"},
            .required = true};
}

void refuse_not_traced_for_chunks(std::string_view pass) {
    throw PassRefusal(std::string(pass), "placeholders",
                      "none has a size that is known only when the job runs, so there is nothing to halve, and "
                      "torchtitan raises a ValueError: trace the job with compile.ep_overlap.enabled (strategy graph)");
}

}  // namespace overlap::experts
