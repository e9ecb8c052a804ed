// libFuzzer target: any text is refused or questions about meshes, in which nothing is out of bounds.

#include "core/io/redistribution_cases.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    for (const MeshCase& question : read_redistribution_cases_text(input, "fuzz")) {
        const auto* const redistribution = std::get_if<RedistributionCase>(&question);
        if (!redistribution) continue;
        redistribution->mesh.validate();
        redistribution->tensor.validate();
        validate_state(redistribution->source, redistribution->mesh, redistribution->tensor.dims());
        validate_state(redistribution->target, redistribution->mesh, redistribution->tensor.dims());
    }
}
