#pragma once

#include <string>
#include <vector>

#include "core/passes/pass.h"
#include "core/plan/plan.h"

namespace overlap::commands {

/// `--set PASS.OPTION=A,B,C`: the values that one option of a pass is tried with.
struct SweptOption {
    std::string pass, option;
    std::vector<OptionValue> values;
    std::vector<std::string> texts;  ///< the values as they were written

    std::string name() const { return pass + "." + option; }
};

/// @throws InputError where there is no such pass or option, or it does not take a value.
SweptOption read_swept_option(const std::string& text);

/// For each combination of values the number of the value of each option: `{0, 0}, {0, 1}, ...`; one empty combination
/// for no options.
std::vector<std::vector<std::size_t>> combinations(const std::vector<SweptOption>& options);

/// Whether a step of the plan runs the option's pass.
bool has_pass(const Plan& plan, const std::string& pass);

/// The plan with these values in each step that runs their passes.
Plan with_values(Plan plan, const std::vector<SweptOption>& options, const std::vector<std::size_t>& combination);

}  // namespace overlap::commands
