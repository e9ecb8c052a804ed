#include "core/search/start_plan.h"

#include <algorithm>
#include <utility>

#include "core/passes/overlaps/overlap_directives.h"

namespace overlap {
namespace {

/// Which of a plan's overlaps by hand it would have to do without; empty where that is not what refuses it.
std::string remedy(const CandidateEvaluator& evaluator, const Candidate& given) {
    if (!given.changes_order) return {};
    Plan plan = given.plan;
    std::vector<OverlapDirective> all = std::exchange(plan.overlaps.list, {});
    if (all.empty() || !evaluator.evaluate(plan, given.origin).usable())
        return "; its passes do that, and the search keeps the order, as its bound does, unless it may compute in any "
               "order";
    std::string moving;
    for (OverlapDirective& directive : all) {
        plan.overlaps.list.push_back(std::move(directive));
        if (evaluator.evaluate(plan, given.origin).usable()) continue;
        moving += (moving.empty() ? "" : "; ") + describe(plan.overlaps.list.back());
        plan.overlaps.list.pop_back();
    }
    return ". The search keeps the order, as its bound does, unless it may compute in any order. Else remove from "
           "the plan the overlap by hand that moves it (" +
           moving + "), or do not start from this plan";
}

}  // namespace

Candidate start_candidate(const CandidateEvaluator& evaluator, const Plan& start) {
    Candidate given = evaluator.evaluate(start, "the plan to start from");
    if (!given.usable())
        throw StartPlanError("the plan to start from cannot be used: " + given.refusal + remedy(evaluator, given));
    return given;
}

std::vector<std::string> keep_what_passes_do_not_read(Plan& plan, const std::vector<std::string>& made,
                                                      const Plan& start, const Graph& graph) {
    plan.device_orders = start.device_orders;
    plan.process_groups = start.process_groups;
    plan.unread_process_groups = start.unread_process_groups;
    std::vector<std::string> missing;
    // Passes take no group away.
    std::erase_if(plan.process_groups, [&](const GroupSettings& settings) {
        if (graph.header().process_group(settings.group) || std::ranges::find(made, settings.group) != made.end())
            return false;
        missing.push_back(settings.group);
        return true;
    });
    return missing;
}

}  // namespace overlap
