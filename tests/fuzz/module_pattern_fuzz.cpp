// libFuzzer target: a line with a pattern, a line with a template, and names behind them, a line each.

#include "core/modules/module_pattern.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    const ModulePattern pattern(take_until(input, '\n'));
    const std::string_view filled = take_until(input, '\n');
    pattern.part_names();
    while (!input.empty()) {
        PatternParts parts;
        if (pattern.matches(take_until(input, '\n'), parts)) fill_template(filled, parts);
    }
    template_parts(filled);
}
