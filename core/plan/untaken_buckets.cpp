#include "core/plan/untaken_buckets.h"

#include <string>
#include <vector>

#include "core/base/wording.h"
#include "core/plan/automatic_plan.h"

namespace overlap {
namespace {

/// `bucket changes` or `3 buckets change`.
std::string changing(const Plan& plan) {
    return plan.buckets.size() == 1 ? "bucket changes" : std::to_string(plan.buckets.size()) + " buckets change";
}

/// A step that is on is the reason: it has buckets of its own.
std::string in_place_of_own(const Plan& plan, const EntriesTaker& taker) {
    const std::string& pass = plan.pipeline[taker.step].pass;
    return "step " + std::to_string(taker.running) + " (" + pass +
           ") has a list of buckets of its own, so the plan's " + changing(plan) + " nothing: without its option " +
           buckets_option(pass) + " it would take the plan's";
}

std::string by_a_further_step(const Plan& plan, const std::optional<EntriesTaker>& taker) {
    const bool one = plan.buckets.size() == 1;
    std::string told = "no step of the plan takes its ";
    told.append(one ? "bucket, so it changes" : std::to_string(plan.buckets.size()) + " buckets, so they change");
    told.append(" nothing: ");
    if (!taker) return told.append("add ").append(entries_pass);
    const std::string& pass = plan.pipeline[taker->step].pass;
    told.append("switch ").append(pass).append(" on");
    if (taker->has_own) told.append(" without its option ").append(buckets_option(pass));
    return told;
}

}  // namespace

std::optional<Problem> untaken_buckets(const Plan& plan) {
    if (plan.buckets.empty() || takes_entries(plan)) return std::nullopt;
    const std::optional<EntriesTaker> taker = entries_taker(plan);
    const bool has_own = taker && !taker->is_off;
    std::vector<std::string> deciding;
    for (const PassStep& step : plan.pipeline)
        if (step.enabled && decides_buckets(step.pass)) deciding.push_back(step.pass);
    Problem problem;
    problem.severity = Severity::caution;
    problem.kind = ProblemKind::buckets_not_taken;
    problem.title = "Buckets not taken";
    problem.message = has_own ? in_place_of_own(plan, *taker) : by_a_further_step(plan, taker);
    if (!deciding.empty())
        problem.message.append(has_own ? "; switch " : " and switch ")
            .append(listed(deciding))
            .append(" off, since buckets can be chosen only once");
    problem.fix = !taker    ? "Add manual bucketing"
                  : has_own ? "Drop the step's own buckets"
                            : "Switch manual bucketing on";
    return problem;
}

}  // namespace overlap
