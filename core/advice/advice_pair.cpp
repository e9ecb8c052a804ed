#include <algorithm>

#include "core/advice/advice.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/plan_difference.h"

namespace overlap {
namespace {

constexpr std::size_t most_second_collectives = 3;

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
            least_ms = job_step_ms(*effect);
            best = AdvicePair{std::move(both), std::move(*effect)};
        }
    }
    return best;
}

}  // namespace overlap
