#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/search/block_plans.h"
#include "core/search/candidate.h"
#include "core/search/search_rounds.h"

namespace overlap {

/// What a search tries first, before it improves anything; README.md of this folder lists it.
class FirstPlans {
  public:
    /// @param rounds evaluates them; must outlive this, as `graph` must.
    /// @param after_each called when some have been evaluated.
    FirstPlans(const std::shared_ptr<const Graph>& graph, SearchRounds& rounds, std::function<void()> after_each)
        : graph_(graph), rounds_(rounds), after_each_(std::move(after_each)) {}

    /// @returns what plans are compared with: the presets, the automatic pass alone, the best of the grid.
    std::vector<Candidate> try_all();

    /// Where what is fast takes too much memory: every section in the fastest plan, and the best ones in the next
    /// plans.
    void try_fast_within_limit();

    /// What may be tried of memory, see memory_settings(); known once all has been tried.
    const std::vector<MemoryChoice>& memory_settings() const { return memory_settings_; }

  private:
    struct BestBlocks {
        Candidate candidate;
        BlockPattern pattern;
    };

    void try_blocks();
    void try_blocks(const std::vector<BlockProposal>& blocks, std::optional<BestBlocks>& best);
    void try_lean_plans();
    std::vector<Candidate> evaluate(std::vector<Proposal> proposals);
    std::vector<Candidate> evaluate_locked(std::vector<Proposal> proposals);

    const std::shared_ptr<const Graph>& graph_;
    SearchRounds& rounds_;
    std::function<void()> after_each_;
    std::vector<MemoryChoice> memory_settings_;
};

}  // namespace overlap
