#include "core/search/alike_plans.h"

#include <algorithm>

#include "core/search/plan_search.h"

namespace overlap {
namespace {

constexpr std::size_t most_finalists = 24;
/// Of plans that are alike, those whose mean step under disturbed costs is longer than the least by more are left out.
constexpr double robust_share = 0.001;

}  // namespace

AlikePlans::AlikePlans(const SearchRounds& rounds, const std::vector<Candidate>& baselines) : rounds_(rounds) {
    const double best_ms = rounds.best()->step_ms;
    most_ms_ = best_ms * (1 + alike_share);
    for (const Candidate& baseline : baselines) {
        if (baseline.usable() && rounds.within_limit(baseline) && rounds.locked().kept_in(baseline.plan))
            most_ms_ = std::min(most_ms_, baseline.step_ms);
    }
    most_ms_ = std::max(most_ms_, best_ms);
    for (const Candidate& candidate : rounds.usable())
        if (rounds.within_limit(candidate) && candidate.step_ms <= most_ms_) plans_.push_back(candidate);
    const auto least = std::ranges::min(plans_, {}, &Candidate::corrected_peak_bytes).corrected_peak_bytes;
    most_bytes_ = static_cast<std::int64_t>(static_cast<double>(least) / about_least_memory);
    most_bytes_ = std::min(most_bytes_, rounds.limits().memory.value_or(most_bytes_));
    std::erase_if(plans_, [&](const Candidate& candidate) { return candidate.corrected_peak_bytes > most_bytes_; });
}

const Candidate& AlikePlans::shortest() const {
    return *std::ranges::min_element(plans_, {}, &Candidate::step_ms);
}

std::vector<Candidate> AlikePlans::by_description(const CandidateEvaluator& evaluator) const {
    std::vector<Candidate> alike = plans_;
    const auto length = [](const Candidate& candidate) { return description_length(candidate.plan); };
    std::ranges::stable_sort(alike, {}, length);
    if (alike.size() > most_finalists) alike.resize(most_finalists);
    alike.push_back(shortest());
    for (Candidate& candidate : alike) {
        evaluator.disturb(candidate, rounds_.limits().stop);
        if (rounds_.stopped()) return {shortest()};
    }
    const double least_mean_ms = std::ranges::min(alike, {}, &Candidate::mean_ms).mean_ms;
    std::erase_if(alike,
                  [&](const Candidate& candidate) { return candidate.mean_ms > least_mean_ms * (1 + robust_share); });
    std::ranges::stable_sort(alike, [&](const Candidate& left, const Candidate& right) {
        if (length(left) != length(right)) return length(left) < length(right);
        if (left.mean_ms != right.mean_ms) return left.mean_ms < right.mean_ms;
        return left.worst_ms < right.worst_ms;
    });
    return alike;
}

}  // namespace overlap
