#include <algorithm>

#include "core/advice/collective_advice.h"
#include "core/plan/group_passes.h"

namespace overlap {
namespace {

bool has_step(const Plan& plan, std::string_view pass) {
    return std::ranges::any_of(plan.pipeline,
                               [&](const PassStep& step) { return step.enabled && is_group_pass(step.pass, pass); });
}

}  // namespace

std::vector<Advice> group_advice(const AdvisedCollective& collective) {
    std::vector<Advice> changes;
    if (collective.timing.cause != ExposureCause::group_busy) return changes;
    const auto consider = [&](std::string_view pass, const char* text) {
        if (has_step(collective.plan(), pass) || !group_pass_obstacle(collective.evaluation->input, pass).empty())
            return;
        Advice advice{text, {}, collective.plan()};
        put_group_pass(advice.plan.pipeline, pass);
        changes.push_back(std::move(advice));
    };
    consider(isolate_expert_group_pass, "a process group of its own for the all-to-alls of the experts");
    consider(reassign_groups_pass, "a process group of its own for the gathers of parameters");
    return changes;
}

}  // namespace overlap
