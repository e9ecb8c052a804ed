#include "core/advice/advice.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <unordered_set>

#include "core/advice/collective_advice.h"
#include "core/passes/hazards.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/plan_edits.h"
#include "core/views/members_of_result.h"

namespace overlap {
namespace {

/// Advice needs figures of a plan that runs.
bool can_be_advised(const Evaluation& evaluation) {
    return evaluation.resolved && !evaluation.refused && evaluation.times_known;
}

std::vector<std::string> blocks_of_members(const Evaluation& evaluation, NodeId start) {
    std::vector<std::string> blocks;
    const ModuleTree& tree = *evaluation.resolved->modules;
    for (const NodeId member : MembersOfResult(evaluation).of(start)) {
        const ModuleTree::ModuleId module = tree.innermost(member);
        if (module == ModuleTree::no_module || module == ModuleTree::root) continue;
        std::string block = block_of(tree.path(module));
        if (std::ranges::find(blocks, block) == blocks.end()) blocks.push_back(std::move(block));
    }
    return blocks;
}

/// A change that makes the plan that another one makes is the same change.
void append_new(std::vector<Advice>& all, std::vector<Advice> more, const Plan& plan) {
    for (Advice& advice : more) {
        const auto makes_the_same = [&](const Advice& other) { return other.plan == advice.plan; };
        if (advice.plan != plan && std::ranges::none_of(all, makes_the_same)) all.push_back(std::move(advice));
    }
}

/// By what a problem is known again in another plan: its sentence, or its kind where the sentence has figures, which
/// differ from plan to plan.
std::string_view known_by(const Problem& problem) {
    const bool has_figures = problem.kind == ProblemKind::links_not_shared ||
                             problem.kind == ProblemKind::beyond_device_memory ||
                             problem.kind == ProblemKind::unknown_sizes || problem.kind == ProblemKind::memory_on_cpu;
    return has_figures ? problem_kind_name(problem.kind) : std::string_view(problem.message);
}

std::vector<Problem> new_problems(const Evaluation& before, const Evaluation& after) {
    std::unordered_set<std::string_view> known;
    for (const Problem& problem : before.problems) known.insert(known_by(problem));
    const auto is_new = [&](const Problem& problem) {
        return problem.kind == ProblemKind::read_before_fill ? is_new_read_before_fill(problem, before.problems)
                                                             : !known.contains(known_by(problem));
    };
    std::vector<Problem> found;
    for (const Problem& problem : after.problems)
        if (problem.severity != Severity::note && problem.kind != ProblemKind::exposed && is_new(problem))
            found.push_back(problem);
    return found;
}

/// What would be wrong with the job, if the change were made; else empty.
std::string new_error(const std::vector<Problem>& problems) {
    const auto error = std::ranges::find(problems, Severity::error, &Problem::severity);
    return error == problems.end() ? std::string() : error->message;
}

}  // namespace

std::string block_of(std::string_view path) {
    std::size_t end = 0;
    while (end < path.size()) {
        const std::size_t begin = end == 0 ? 0 : end + 1;
        end = std::min(path.find('.', begin), path.size());
        const std::string_view name = path.substr(begin, end - begin);
        if (!name.empty() && std::ranges::all_of(name, [](unsigned char letter) { return std::isdigit(letter); }))
            return std::string(path.substr(0, end));
    }
    return std::string(path.substr(0, path.find('.')));
}

std::string block_of(const Evaluation& evaluation, NodeId node) {
    const NodeId input = evaluation.origin[node];
    if (input == no_node) return {};
    const ModuleTree& tree = *evaluation.resolved->modules;
    const ModuleTree::ModuleId module = tree.innermost(input);
    return module == ModuleTree::no_module || module == ModuleTree::root ? std::string() : block_of(tree.path(module));
}

std::vector<Advice> advice_for(const std::shared_ptr<const Evaluation>& evaluation, std::size_t collective) {
    std::vector<Advice> found;
    if (!can_be_advised(*evaluation) || collective >= evaluation->simulation.collectives.size()) return found;
    const CollectiveTiming& timing = evaluation->simulation.collectives[collective];
    if (timing.exposed_ms <= 0) return found;
    const AdvisedCollective advised{evaluation, timing, std::string(evaluation->graph->name(timing.start)),
                                    blocks_of_members(*evaluation, timing.start)};
    for (const auto& advice_of : {bucket_advice, group_advice, overlap_advice})
        append_new(found, advice_of(advised), advised.plan());
    for (Advice& advice : found) advice.collective = advised.name;
    return found;
}

std::string_view advice_looked_for() {
    return "a bucket for its block, a neighbour's bucket, buckets merged or split, a process group of its own where "
           "another collective holds its stream, an earlier start, a later wait, and a block to run behind";
}

std::vector<Advice> advice_for_problems(const Evaluation& evaluation) {
    std::vector<Advice> found;
    if (!evaluation.resolved) return found;
    const Plan& plan = evaluation.resolved->plan;
    for (const Problem& problem : evaluation.problems) {
        std::optional<Plan> fixed = edits::with_fix(plan, problem);
        if (!fixed) continue;
        std::vector<Advice> fix;
        fix.push_back({problem.fix, {}, std::move(*fixed)});
        fix.back().problem = problem;
        append_new(found, std::move(fix), plan);
    }
    return found;
}

std::vector<std::size_t> most_exposed(const Evaluation& evaluation, std::size_t most) {
    const std::vector<CollectiveTiming>& collectives = evaluation.simulation.collectives;
    std::vector<std::size_t> exposed;
    for (std::size_t index = 0; index < collectives.size(); ++index)
        if (collectives[index].exposed_ms > 0) exposed.push_back(index);
    std::ranges::stable_sort(exposed, std::greater(), [&](std::size_t index) { return collectives[index].exposed_ms; });
    exposed.resize(std::min(exposed.size(), most));
    return exposed;
}

double job_step_ms(const AdviceEffect& effect) {
    return effect.shared_step_ms.value_or(effect.step_ms);
}

bool is_worthwhile(const AdviceEffect& effect, const Evaluation& before) {
    if (!effect.refusal.empty()) return false;
    const double least_ms = worthwhile_share * step_with_links_shared(before);
    const double least_bytes = worthwhile_peak_share * static_cast<double>(before.corrected_memory.peak_bytes);
    const bool frees_memory = static_cast<double>(-effect.peak_bytes) > least_bytes && job_step_ms(effect) < least_ms;
    return frees_memory || job_step_ms(effect) < -least_ms;
}

std::optional<AdviceEffect> effect_of(const Evaluation& before, const Advice& advice, std::stop_token stop) {
    AdviceEffect effect;
    effect.refusal = advice.refusal;
    if (!effect.refusal.empty()) return effect;
    const auto after = evaluate_like(before, advice.plan, stop);
    if (!after) return std::nullopt;
    effect.new_problems = new_problems(before, *after);
    if (after->refused) {
        effect.refusal = after->refusal ? after->refusal->what() : "the changed plan is refused";
        return effect;
    }
    effect.refusal = new_error(effect.new_problems);
    if (!effect.refusal.empty()) return effect;
    effect.step_ms = after->simulation.step_ms - before.simulation.step_ms;
    if (before.on_shared_links || after->on_shared_links)
        effect.shared_step_ms = step_with_links_shared(*after) - step_with_links_shared(before);
    effect.exposed_ms = exposed_with_links_shared(*after) - exposed_with_links_shared(before);
    effect.peak_bytes = after->corrected_memory.peak_bytes - before.corrected_memory.peak_bytes;
    return effect;
}

}  // namespace overlap
