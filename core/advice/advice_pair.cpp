#include <algorithm>

#include "core/advice/advice.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/plan_difference.h"

namespace overlap {
namespace {

constexpr std::size_t most_second_collectives = 3;

/// What a change that is offered after another one is worth without that; nothing where it is not offered then.
/// @param second its text and collective are looked at.
std::optional<AdviceEffect> worth_alone(const std::shared_ptr<const Evaluation>& evaluation, const Advice& second,
                                        std::stop_token stop) {
    const std::vector<CollectiveTiming>& collectives = evaluation->simulation.collectives;
    for (std::size_t index = 0; index < collectives.size(); ++index) {
        if (evaluation->graph->name(collectives[index].start) != second.collective) continue;
        for (const Advice& advice : advice_for(evaluation, index))
            if (advice.text == second.text && advice.refusal.empty()) return effect_of(*evaluation, advice, stop);
    }
    return std::nullopt;
}

/// Whether two changes are worth more than one of them: in time, or in memory for no more time.
bool is_worth_more(const AdviceEffect& both, const AdviceEffect& one, const Evaluation& before) {
    if (!one.refusal.empty()) return true;
    const double least_ms = worthwhile_share * step_with_links_shared(before);
    const double least_bytes = worthwhile_peak_share * static_cast<double>(before.corrected_memory.peak_bytes);
    const double gained_ms = job_step_ms(one) - job_step_ms(both);
    return gained_ms >= least_ms ||
           (gained_ms > -least_ms && static_cast<double>(one.peak_bytes - both.peak_bytes) > least_bytes);
}

}  // namespace

std::optional<AdvicePair> best_pair(const std::shared_ptr<const Evaluation>& evaluation, const Advice& first,
                                    const AdviceEffect& effect_of_first, std::stop_token stop,
                                    std::span<const Plan> known) {
    if (!first.refusal.empty() || !effect_of_first.refusal.empty()) return std::nullopt;
    const auto after = evaluate_like(*evaluation, first.plan, stop);
    if (!after) return std::nullopt;
    double least_ms = job_step_ms(effect_of_first) - worthwhile_share * step_with_links_shared(*evaluation);
    std::optional<AdvicePair> best;
    for (const std::size_t collective : most_exposed(*after, most_second_collectives)) {
        for (Advice& second : advice_for(after, collective)) {
            if (stop.stop_requested()) return std::nullopt;
            if (!second.refusal.empty()) continue;
            // Whatever the order of their parts, which depends on the end that a pair is made from.
            const auto same = [&](const Plan& plan) { return plan_difference(plan, second.plan).count() == 0; };
            if (std::ranges::any_of(known, same)) continue;
            Advice both = first;
            both.text.append(", then ").append(second.text);
            both.plan = std::move(second.plan);
            both.moves_dependents = first.moves_dependents || second.moves_dependents;
            std::optional<AdviceEffect> effect = effect_of(*evaluation, both, stop);
            if (!effect || !effect->refusal.empty() || job_step_ms(*effect) > least_ms) continue;
            // The first may add nothing to it.
            const std::optional<AdviceEffect> alone = worth_alone(evaluation, second, stop);
            if (alone && !is_worth_more(*effect, *alone, *evaluation)) continue;
            least_ms = job_step_ms(*effect);
            best = AdvicePair{std::move(both), std::move(*effect)};
        }
    }
    return best;
}

}  // namespace overlap
