// libFuzzer target: any text is refused or a plan, which is written as a text that reads back the same.

#include "core/io/plan/plan_file.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    // A range stands for modules, which count as if each had been written.
    if (input.find('-') < input.rfind(']')) count_input(ExpansionBounds().most_modules * sizeof("\"layers.0\""));
    const Plan plan = read_plan_text(input, "fuzz");
    lower(plan);
    const std::string text = write_plan_text(plan);
    const Plan again = must_accept([&] { return read_plan_text(text, "again"); });
    require(write_plan_text(again) == text, "a plan was written differently the second time");
}
