#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"

namespace overlap {

/// One change of a plan that may help. What it is worth is known when the changed plan has been evaluated, see
/// effect_of().
struct Advice {
    std::string text;        ///< the change in words, without full stop: `layers.3 into the bucket of layers.2`
    std::string collective;  ///< what it is for: a node of the evaluation's graph, or empty for a problem's fix
    Plan plan;               ///< the plan with this change
    /// Why the change cannot be made, where the collective's own explanation names it; else empty.
    std::string refusal{};
    std::optional<Problem> problem{};  ///< that the change mends, where it is the fix of one
    bool moves_dependents = false;  ///< what needs the collective comes later too: heavy compute may change its order
    bool is_named = false;          ///< the collective's own explanation names it, see why_exposed()
};

/// Changes that may hide one collective of an evaluated plan, each for itself: other buckets, a process group of its
/// own, other moments for its start and its wait. Takes some milliseconds for 10,000 nodes. Empty for a graph without a
/// plan, for a plan that is refused, where times are not known, and where the collective is not exposed.
/// @param collective index of Simulation::collectives.
std::vector<Advice> advice_for(const std::shared_ptr<const Evaluation>& evaluation, std::size_t collective);

/// What advice_for() looks for, as an enumeration: said where it finds nothing.
std::string_view advice_looked_for();

/// The fixes that the plan's problems offer, each for itself.
std::vector<Advice> advice_for_problems(const Evaluation& evaluation);

/// The collectives of an evaluation that are exposed longest, as indices of Simulation::collectives: at most `most`,
/// the longest first.
std::vector<std::size_t> most_exposed(const Evaluation& evaluation, std::size_t most);

/// What a change does beside the plan that it was found for. Differences are after minus before.
struct AdviceEffect {
    double step_ms = 0;
    /// Of the steps with links shared, where either plan has one beside that of its figures.
    std::optional<double> shared_step_ms{};
    double exposed_ms = 0;        ///< of the step of a job, see job_step_ms()
    std::int64_t peak_bytes = 0;  ///< as Evaluation::corrected_memory counts it
    /// Why the changed plan is refused, or what would be wrong with its job; the differences are then 0.
    std::string refusal;
    /// Problems of the changed plan that the plan does not have, exposed collectives not counted.
    std::vector<Problem> new_problems;
};

/// Below this share of the step a difference is no reason for a change: runs of one job differ by more.
inline constexpr double worthwhile_share = 0.001;
/// The same of the peak, for changes that free memory.
inline constexpr double worthwhile_peak_share = 0.01;

/// What the step of a job changes by: with links shared where that is another one.
double job_step_ms(const AdviceEffect& effect);

/// Whether a change is not refused, and shortens the step of a job by a share that is worth it, or frees such a share
/// of the peak for no more time.
bool is_worthwhile(const AdviceEffect& effect, const Evaluation& before);

/// Evaluates the changed plan as the plan was evaluated.
/// @returns nothing when `stop` was requested.
std::optional<AdviceEffect> effect_of(const Evaluation& before, const Advice& advice, std::stop_token stop = {});

/// A change with a second one after it.
struct AdvicePair {
    Advice both;
    AdviceEffect effect;  ///< of both
};

/// What to go on with after a change: of the changes for what is exposed longest then, the one that gains most, where
/// it gains a worthwhile share more than the first alone, and where both are worth more than the second alone. Takes as
/// long as the evaluation of some tens of plans.
/// @param known plans that pairs made which were told: what comes to one of them, from its other end, is not looked at.
/// Of overlaps by hand the same ones in another order count as the same, though one that contradicts an earlier one is
/// left out.
/// @returns nothing where no second change helps, and when `stop` was requested.
std::optional<AdvicePair> best_pair(const std::shared_ptr<const Evaluation>& evaluation, const Advice& first,
                                    const AdviceEffect& effect_of_first, std::stop_token stop = {},
                                    std::span<const Plan> known = {});

}  // namespace overlap
