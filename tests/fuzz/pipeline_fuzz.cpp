// libFuzzer target: any text is refused or a pipeline, whose steps are of known passes with options that they take.

#include "core/io/plan/plan_file.h"
#include "core/passes/registry/registry.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    for (const PassStep& step : read_pipeline_text(input, "fuzz")) {
        require(find_pass(step.pass) != nullptr, "a step of an unknown pass was read");
        check_options(*find_pass(step.pass), step.options);
    }
}
