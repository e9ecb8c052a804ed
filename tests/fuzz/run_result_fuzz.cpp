// libFuzzer target: any text is refused or the times of a run on devices.

#include "core/io/run_file.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    read_run_text(input, "fuzz");
}
