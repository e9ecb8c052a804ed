#include "core/plan/own_options.h"

#include "core/base/wording.h"
#include "core/passes/registry/registry.h"

namespace overlap {

std::vector<std::string> steps_of_own_options(const std::vector<PassStep>& steps) {
    std::vector<std::string> told;
    for (std::size_t index = 0; index < steps.size(); ++index) {
        const Pass* pass = find_pass(steps[index].pass);
        if (!pass) continue;  // refused where the plan is run
        for (const PassOption& option : pass->options()) {
            const OptionValue* given = steps[index].options.find(option.name);
            if (option.of_reference || !given || same_value(*given, option.default_value)) continue;
            told.push_back("step " + std::to_string(index + 1) + " (" + steps[index].pass + ") has the option " +
                           option.name + ", which PyTorch does not know");
        }
    }
    return told;
}

std::optional<Problem> exact_mode_only(const std::vector<PassStep>& steps) {
    std::string told;
    for (const std::string& step : steps_of_own_options(steps)) told.append(told.empty() ? "" : "; ").append(step);
    if (told.empty()) return std::nullopt;
    Problem problem;
    problem.kind = ProblemKind::exact_mode_only;
    problem.title = "Mode exact only";
    problem.message = told + ": a job can apply this plan in mode \"exact\" only";
    return problem;
}

}  // namespace overlap
