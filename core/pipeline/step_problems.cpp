#include "core/pipeline/step_problems.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/plan/bucket_check.h"
#include "core/plan/group_passes.h"
#include "core/plan/plan.h"

namespace overlap {

namespace {

/// Why a pass that moves collectives to a new process group has moved none, where it does not say so itself.
void add_group_problem(const std::shared_ptr<const Graph>& graph, PassReport& report) {
    const bool is_known =
        is_group_pass(report.pass, isolate_expert_group_pass) || is_group_pass(report.pass, reassign_groups_pass);
    if (!is_known || !report.groups.empty() || !report.problems.empty()) return;
    Problem problem;
    problem.kind = ProblemKind::no_new_group;
    problem.title = "No new group";
    problem.message = group_pass_obstacle(graph, report.pass);
    report.problems.push_back(std::move(problem));
}

bool is_reported(const PassReport& report, const Problem& problem) {
    return std::ranges::any_of(report.problems, [&](const Problem& known) {
        return known.kind == problem.kind && known.plan_entry == problem.plan_entry && known.message == problem.message;
    });
}

/// The problem of the plan's entries that says the same, although perhaps of a graph that had other nodes then; the
/// number of those problems where there is none.
std::size_t same_of_plan(const ResolvedPlan& resolved, const Problem& problem) {
    const auto end = resolved.problems.begin() + static_cast<std::ptrdiff_t>(resolved.entry_problems);
    const auto same = std::find_if(resolved.problems.begin(), end, [&](const Problem& known) {
        return known.kind == problem.kind && known.plan_entry == problem.plan_entry && known.module == problem.module;
    });
    return static_cast<std::size_t>(same - resolved.problems.begin());
}

std::vector<Problem> check_entries(const ResolvedPlan& resolved, const ResolvedStep& step, const StepBuckets& buckets,
                                   const std::shared_ptr<const Graph>& graph) {
    const bool of_input = graph == resolved.input && buckets.source == resolved.modules->source();
    std::vector<Problem> found;
    if (step.of_plan && of_input) {
        found.assign(resolved.problems.begin(),
                     resolved.problems.begin() + static_cast<std::ptrdiff_t>(resolved.entry_problems));
        return found;
    }
    found = of_input ? check_buckets(*graph, *resolved.modules, buckets.entries)
                     : check_buckets(*graph, buckets.source, buckets.entries);
    for (Problem& problem : found) {
        const std::size_t known = step.of_plan ? same_of_plan(resolved, problem) : resolved.entry_problems;
        if (known < resolved.entry_problems) problem = resolved.problems[known];
    }
    return found;
}

}  // namespace

void add_step_problems(const ResolvedPlan& resolved, const ResolvedStep& step,
                       const std::shared_ptr<const Graph>& graph, PassReport& report) {
    add_group_problem(graph, report);
    const std::optional<StepBuckets> buckets = step_buckets(step.step);
    if (!buckets || buckets->entries.empty()) return;
    for (Problem& problem : check_entries(resolved, step, *buckets, graph)) {
        if (!is_reported(report, problem)) report.problems.push_back(std::move(problem));
    }
}

std::optional<Problem> overlap_of_entries(const ResolvedPlan& resolved, const ResolvedStep& step,
                                          const std::shared_ptr<const Graph>& graph) {
    const std::optional<StepBuckets> buckets = step_buckets(step.step);
    if (!buckets) return std::nullopt;
    const std::vector<Problem> found = check_entries(resolved, step, *buckets, graph);
    const auto overlap = std::ranges::find(found, ProblemKind::overlapping_entries, &Problem::kind);
    return overlap == found.end() ? std::nullopt : std::optional(*overlap);
}

std::vector<std::size_t> list_step_problems(const ResolvedPlan& resolved, const ResolvedStep& step,
                                            const PassReport& report, std::vector<Problem>& problems) {
    std::vector<std::size_t> places;
    for (const Problem& problem : report.problems) {
        const std::size_t known = step.of_plan ? same_of_plan(resolved, problem) : resolved.entry_problems;
        if (known < resolved.entry_problems) {
            places.push_back(known);
            continue;
        }
        places.push_back(problems.size());
        Problem& listed = problems.emplace_back(problem);
        if (step.of_plan) continue;
        listed.plan_entry = -1;
        listed.fix.clear();
        listed.replacement.reset();
    }
    return places;
}

}  // namespace overlap
