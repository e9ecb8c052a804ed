#include "core/search/fast_within_limit.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/plan/automatic_plan.h"
#include "core/plan/memory_edits.h"
#include "core/search/portfolio.h"

namespace overlap {
namespace {

constexpr std::size_t most_automatic_plans = 6, most_other_plans = 2;
constexpr std::size_t sections_of_each = 2;  ///< within the limit, and beyond it
constexpr double hardly_slower = 1.05;
constexpr std::size_t lean_sections = 4, plans_of_front = 4;
constexpr std::size_t sections_of_fastest = 8;  ///< known ones

bool contains(const std::vector<MemorySection>& sections, const MemorySection& section) {
    return std::ranges::find(sections, section) != sections.end();
}

}  // namespace

std::vector<Plan> FastWithinLimit::fast_plans(bool automatic) const {
    std::vector<const Candidate*> by_step;
    for (const Candidate& candidate : rounds_.usable())
        if (!candidate.plan.memory && is_automatic(candidate.plan) == automatic) by_step.push_back(&candidate);
    std::ranges::stable_sort(by_step, {}, &Candidate::step_ms);
    std::vector<Plan> plans;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Candidate* candidate : by_step) {
        if (plans.size() == (automatic ? most_automatic_plans : most_other_plans)) break;
        if (candidate->corrected_peak_bytes >= least) continue;
        least = candidate->corrected_peak_bytes;
        plans.push_back(candidate->plan);
    }
    return plans;
}

std::vector<Proposal> FastWithinLimit::with_every_section(const Plan& plan) const {
    std::vector<MemorySection> sections;
    for (const MemoryChoice& choice : settings_) sections.push_back(choice.section);
    return with_sections(plan, sections);
}

std::vector<Proposal> FastWithinLimit::with_best_sections(const std::vector<Plan>& plans,
                                                          std::vector<Candidate> tried) const {
    const std::vector<MemorySection> sections = best_sections(std::move(tried));
    std::vector<Proposal> proposals;
    for (const Plan& plan : plans) std::ranges::move(with_sections(plan, sections), std::back_inserter(proposals));
    return proposals;
}

std::vector<Proposal> FastWithinLimit::with_lean_sections(const std::vector<Plan>& plans,
                                                          std::vector<Candidate> tried) const {
    std::erase_if(tried, [](const Candidate& one) { return !one.usable() || !one.plan.memory; });
    std::ranges::stable_sort(tried, {}, &Candidate::step_ms);
    std::vector<MemorySection> sections;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Candidate& candidate : tried) {
        if (candidate.step_ms > tried.front().step_ms * hardly_slower || sections.size() == lean_sections) break;
        if (candidate.corrected_peak_bytes >= least) continue;
        least = candidate.corrected_peak_bytes;
        if (!contains(sections, *candidate.plan.memory)) sections.push_back(*candidate.plan.memory);
    }
    std::vector<Proposal> proposals;
    for (std::size_t index = 1; index < std::min(plans.size(), plans_of_front); ++index)
        std::ranges::move(with_sections(plans[index], sections), std::back_inserter(proposals));
    return proposals;
}

std::vector<Proposal> FastWithinLimit::fastest_with_known_sections() const {
    const Candidate* const fastest = rounds_.fastest();
    if (!fastest) return {};
    std::vector<const Candidate*> within;
    for (const Candidate& candidate : rounds_.usable())
        if (candidate.plan.memory && rounds_.within_limit(candidate)) within.push_back(&candidate);
    std::ranges::stable_sort(within, {}, [](const Candidate* one) { return one->step_ms; });
    std::vector<MemorySection> sections;
    std::vector<Proposal> proposals;
    for (const Candidate* candidate : within) {
        if (sections.size() == sections_of_fastest) break;
        const MemorySection& section = *candidate->plan.memory;
        if (contains(sections, section)) continue;
        sections.push_back(section);
        proposals.push_back({edits::with_memory(fastest->plan, section), "memory of a slower plan"});
    }
    return proposals;
}

std::vector<MemorySection> FastWithinLimit::best_sections(std::vector<Candidate> tried) const {
    std::erase_if(tried, [](const Candidate& one) { return !one.usable() || !one.plan.memory; });
    std::ranges::stable_sort(
        tried, [&](const Candidate& left, const Candidate& right) { return rounds_.is_better(left, right); });
    std::vector<MemorySection> within, beyond;
    double fastest_within_ms = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : tried) {
        const bool fits = rounds_.within_limit(candidate);
        if (fits) fastest_within_ms = std::min(fastest_within_ms, candidate.step_ms);
        if (!fits && candidate.step_ms > fastest_within_ms) continue;
        std::vector<MemorySection>& chosen = fits ? within : beyond;
        const MemorySection& section = *candidate.plan.memory;
        if (chosen.size() < sections_of_each && !contains(within, section) && !contains(beyond, section))
            chosen.push_back(section);
    }
    std::ranges::move(beyond, std::back_inserter(within));
    return within;
}

std::vector<Proposal> FastWithinLimit::with_sections(const Plan& plan,
                                                     const std::vector<MemorySection>& sections) const {
    std::vector<Proposal> with_groups = group_proposals(graph_, plan);
    with_groups.push_back({plan, "a fast plan"});
    if (sections.empty()) return with_groups;
    std::vector<Proposal> proposals;
    for (const Proposal& groups : with_groups)
        for (const MemorySection& section : sections)
            proposals.push_back({edits::with_memory(groups.plan, section), "less memory in " + groups.origin});
    return proposals;
}

}  // namespace overlap
