#include "core/search/first_plans.h"

#include <algorithm>
#include <utility>

#include "core/search/fast_within_limit.h"
#include "core/search/moves.h"
#include "core/search/portfolio.h"

namespace overlap {
namespace {

/// Of the step: how much slower what stays within the limit is than the fastest where much less memory may cost little.
constexpr double lean_share = 1.08;

}  // namespace

std::vector<Candidate> FirstPlans::try_all() {
    std::vector<Candidate> baselines;
    // A plan that does nothing is one, too.
    Plan nothing = preset_proposals(*graph_).front().plan;
    nothing.pipeline.clear();
    nothing.buckets.clear();
    evaluate({{std::move(nothing), "empty plan"}});
    if (rounds_.stopped()) return baselines;
    const std::vector<Proposal> presets = preset_proposals(*graph_), settings = grid_proposals(*graph_);
    for (Candidate& candidate : evaluate(presets)) baselines.push_back(std::move(candidate));
    if (rounds_.stopped()) return baselines;
    const std::vector<Candidate> grid = evaluate(settings);
    if (!grid.empty()) baselines.push_back(grid.front());
    const Candidate* best = nullptr;
    for (const Candidate& candidate : grid) {
        if (candidate.usable() && (!best || rounds_.is_better(candidate, *best))) best = &candidate;
    }
    if (best) {
        baselines.push_back(*best);
        baselines.back().origin = "best of the grid (" + best->origin + ")";
    }
    if (!rounds_.locked().empty()) {
        evaluate_locked(presets);
        evaluate_locked(settings);
    }
    if (rounds_.stopped()) return baselines;
    try_blocks();
    if (rounds_.stopped()) return baselines;
    memory_settings_ = overlap::memory_settings(*graph_);
    if (const Candidate* found = rounds_.best()) evaluate_locked(memory_moves(found->plan, memory_settings_));
    if (const Candidate* found = rounds_.best()) evaluate_locked(group_proposals(graph_, found->plan));
    try_lean_plans();
    return baselines;
}

void FirstPlans::try_fast_within_limit() {
    if (rounds_.stopped() || rounds_.fastest_is_within_limit()) return;
    const FastWithinLimit within(graph_, rounds_, memory_settings_);
    for (const bool automatic : {true, false}) {
        if (rounds_.fastest_is_within_limit()) return;
        const std::vector<Plan> fast = within.fast_plans(automatic);
        if (fast.empty()) continue;
        evaluate_locked(within.with_every_setting(fast.front()));
        evaluate_locked(within.with_best_settings(fast));
    }
}

/// The fastest automatic plan with every section, and where no limit asks for much less memory, what would be hardly
/// slower with much less.
void FirstPlans::try_lean_plans() {
    if (rounds_.stopped() || memory_settings_.empty()) return;
    const FastWithinLimit lean(graph_, rounds_, memory_settings_);
    const std::vector<Plan> fast = lean.fast_plans(true);
    if (fast.empty()) return;
    evaluate_locked(lean.with_every_setting(fast.front()));
    if (rounds_.is_near_fastest(lean_share)) evaluate_locked(lean.with_lean_settings(fast));
}

/// Buckets of equal numbers of blocks; then, of the best of them, other numbers at the beginning and at the end.
void FirstPlans::try_blocks() {
    const BlockPlans blocks(*graph_);
    std::optional<BestBlocks> best;
    try_blocks(blocks.periods(), best);
    if (best) try_blocks(blocks.prologues(best->candidate.plan, best->pattern), best);
    if (best) try_blocks(blocks.epilogues(best->candidate.plan, best->pattern), best);
}

/// @param best taken over where one of the proposals is better.
void FirstPlans::try_blocks(const std::vector<BlockProposal>& blocks, std::optional<BestBlocks>& best) {
    std::vector<Proposal> proposals;
    for (const BlockProposal& block : blocks) proposals.push_back(block.proposal);
    for (const Candidate& candidate : evaluate_locked(std::move(proposals))) {
        const bool counts = candidate.usable() && rounds_.locked().kept_in(candidate.plan);
        if (!counts || (best && !rounds_.is_better(candidate, best->candidate))) continue;
        // What has been seen before was left out, so places say nothing.
        const auto block = std::ranges::find_if(
            blocks, [&](const BlockProposal& other) { return other.proposal.origin == candidate.origin; });
        best = BestBlocks{candidate, block->pattern};
    }
}

std::vector<Candidate> FirstPlans::evaluate(std::vector<Proposal> proposals) {
    std::vector<Candidate> candidates = rounds_.evaluate(std::move(proposals));
    after_each_();
    return candidates;
}

std::vector<Candidate> FirstPlans::evaluate_locked(std::vector<Proposal> proposals) {
    std::vector<Candidate> candidates = rounds_.evaluate_locked(std::move(proposals));
    after_each_();
    return candidates;
}

}  // namespace overlap
