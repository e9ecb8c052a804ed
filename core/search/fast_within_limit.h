#pragma once

#include <memory>
#include <vector>

#include "core/plan/memory_choices.h"
#include "core/search/search_rounds.h"

namespace overlap {

/// Proposals that take less memory and are about as fast: within a limit that what is fast is beyond, or for the front
/// of step against peak.
class FastWithinLimit {
  public:
    /// @param settings see memory_settings(); without any, proposals differ in their process groups alone. All three
    /// must outlive this.
    FastWithinLimit(const std::shared_ptr<const Graph>& graph, const SearchRounds& rounds,
                    const std::vector<MemoryChoice>& settings)
        : graph_(graph), rounds_(rounds), settings_(settings) {}

    /// The fastest plan without a memory section that was tried, and the next ones that each take less memory than all
    /// before: how much is in flight, and so what collectives hold until their waits, differs between them.
    /// @param automatic whether the automatic pass makes them.
    std::vector<Plan> fast_plans(bool automatic) const;

    /// A plan with every setting of memory and each choice of process groups.
    std::vector<Proposal> with_every_setting(const Plan& plan) const;

    /// Plans with the settings that have been best so far: of the fastest candidates within the limit, and of faster
    /// ones that are the least beyond it.
    std::vector<Proposal> with_best_settings(const std::vector<Plan>& plans) const;

    /// Less in flight in the automatic plans that are the least beyond the limit and faster than the best within it.
    std::vector<Proposal> with_less_in_flight() const;

    /// The first few plans with the settings that have been hardly slower, each with less memory than all faster ones.
    std::vector<Proposal> with_lean_settings(const std::vector<Plan>& plans) const;

    /// The fastest plan of all with sections that have brought others within the limit, those of the fastest first.
    std::vector<Proposal> fastest_with_known_sections() const;

  private:
    /// What was tried of one of the settings.
    struct Tried {
        const Candidate* candidate;
        const MemoryChoice* setting;
    };
    std::vector<Tried> tried() const;
    const MemoryChoice* setting_of(const Plan& plan) const;
    std::vector<Proposal> with_settings(const Plan& plan, const std::vector<const MemoryChoice*>& settings) const;

    const std::shared_ptr<const Graph>& graph_;
    const SearchRounds& rounds_;
    const std::vector<MemoryChoice>& settings_;
};

}  // namespace overlap
