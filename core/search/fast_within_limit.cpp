#include "core/search/fast_within_limit.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "core/plan/automatic_plan.h"
#include "core/plan/memory_edits.h"
#include "core/search/moves.h"
#include "core/search/portfolio.h"

namespace overlap {
namespace {

constexpr std::size_t most_automatic_plans = 6, most_other_plans = 2;
constexpr std::size_t settings_of_each = 2;  ///< within the limit, and beyond it
constexpr std::size_t most_beyond = 2;
constexpr double hardly_slower = 1.05;
constexpr std::size_t lean_settings = 4, plans_of_front = 4;
constexpr std::size_t sections_of_fastest = 8;  ///< known ones

template <class Item>
bool contains(const std::vector<Item>& items, const Item& item) {
    return std::ranges::find(items, item) != items.end();
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

std::vector<Proposal> FastWithinLimit::with_every_setting(const Plan& plan) const {
    std::vector<const MemoryChoice*> every;
    for (const MemoryChoice& setting : settings_) every.push_back(&setting);
    return with_settings(plan, every);
}

std::vector<Proposal> FastWithinLimit::with_best_settings(const std::vector<Plan>& plans) const {
    std::vector<Tried> best_first = tried();
    std::ranges::stable_sort(best_first, [&](const Tried& left, const Tried& right) {
        return rounds_.is_better(*left.candidate, *right.candidate);
    });
    std::vector<const MemoryChoice*> within, beyond;
    double fastest_within_ms = std::numeric_limits<double>::infinity();
    for (const auto& [candidate, setting] : best_first) {
        const bool fits = rounds_.within_limit(*candidate);
        if (fits) fastest_within_ms = std::min(fastest_within_ms, candidate->step_ms);
        if (!fits && candidate->step_ms > fastest_within_ms) continue;
        std::vector<const MemoryChoice*>& chosen = fits ? within : beyond;
        if (chosen.size() < settings_of_each && !contains(within, setting) && !contains(beyond, setting))
            chosen.push_back(setting);
    }
    std::ranges::move(beyond, std::back_inserter(within));
    std::vector<Proposal> proposals;
    for (const Plan& plan : plans) std::ranges::move(with_settings(plan, within), std::back_inserter(proposals));
    return proposals;
}

std::vector<Proposal> FastWithinLimit::with_less_in_flight() const {
    const Candidate* const best = rounds_.best();
    std::vector<const Candidate*> beyond;
    for (const Candidate& candidate : rounds_.usable()) {
        const bool faster = !best || candidate.step_ms < best->step_ms;
        if (faster && !rounds_.within_limit(candidate) && is_automatic(candidate.plan)) beyond.push_back(&candidate);
    }
    std::ranges::stable_sort(beyond, {}, [](const Candidate* one) { return one->corrected_peak_bytes; });
    if (beyond.size() > most_beyond) beyond.resize(most_beyond);
    std::vector<Proposal> proposals;
    for (const Candidate* candidate : beyond)
        std::ranges::move(in_flight_moves(candidate->plan), std::back_inserter(proposals));
    return proposals;
}

std::vector<Proposal> FastWithinLimit::with_lean_settings(const std::vector<Plan>& plans) const {
    std::vector<Tried> by_step = tried();
    std::ranges::stable_sort(by_step, {}, [](const Tried& one) { return one.candidate->step_ms; });
    std::vector<const MemoryChoice*> lean;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const auto& [candidate, setting] : by_step) {
        if (candidate->step_ms > by_step.front().candidate->step_ms * hardly_slower || lean.size() == lean_settings)
            break;
        if (candidate->corrected_peak_bytes >= least) continue;
        least = candidate->corrected_peak_bytes;
        if (!contains(lean, setting)) lean.push_back(setting);
    }
    std::vector<Proposal> proposals;
    for (std::size_t index = 1; index < std::min(plans.size(), plans_of_front); ++index)
        std::ranges::move(with_settings(plans[index], lean), std::back_inserter(proposals));
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
        const MemoryChoice* const setting = setting_of(candidate->plan);
        proposals.push_back({edits::with_memory(fastest->plan, section),
                             setting ? "memory: " + setting->title : std::string("memory of a slower plan")});
    }
    return proposals;
}

std::vector<FastWithinLimit::Tried> FastWithinLimit::tried() const {
    std::vector<Tried> found;
    for (const Candidate& candidate : rounds_.usable())
        if (const MemoryChoice* const setting = setting_of(candidate.plan)) found.push_back({&candidate, setting});
    return found;
}

const MemoryChoice* FastWithinLimit::setting_of(const Plan& plan) const {
    if (!plan.memory) return nullptr;
    const auto setting = std::ranges::find(settings_, *plan.memory, &MemoryChoice::section);
    return setting == settings_.end() ? nullptr : &*setting;
}

std::vector<Proposal> FastWithinLimit::with_settings(const Plan& plan,
                                                     const std::vector<const MemoryChoice*>& settings) const {
    std::vector<Proposal> variants = group_proposals(graph_, plan);
    if (settings_.empty()) return variants;
    variants.insert(variants.begin(), {plan, ""});
    std::vector<Proposal> proposals;
    for (const Proposal& variant : variants) {
        for (const MemoryChoice* setting : settings) {
            std::string origin = "memory: " + setting->title;
            if (!variant.origin.empty()) origin += ", " + variant.origin;
            proposals.push_back({edits::with_memory(variant.plan, setting->section), std::move(origin)});
        }
    }
    return proposals;
}

}  // namespace overlap
