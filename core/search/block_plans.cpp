#include "core/search/block_plans.h"

#include <algorithm>
#include <utility>

#include "core/plan/block_buckets.h"
#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"

namespace overlap {
namespace {

std::string sizes_text(const std::vector<std::size_t>& sizes) {
    std::string text;
    for (const std::size_t size : sizes) {
        if (!text.empty()) text += " + ";
        text += std::to_string(size);
    }
    return text;
}

/// What may come before or after buckets of `period` blocks: one or two smaller ones.
std::vector<std::vector<std::size_t>> beginnings(std::size_t period) {
    std::vector<std::vector<std::size_t>> all;
    const auto add = [&](std::vector<std::size_t> sizes) {
        if (std::ranges::find(all, sizes) == all.end()) all.push_back(std::move(sizes));
    };
    for (std::size_t size = 1; size < period; size *= 2) {
        add({size});
        add({size, size});
        if (2 * size < period) add({size, 2 * size});
    }
    if (period > 2) add({period - 1});
    return all;
}

std::string name_of(const BlockPattern& pattern, bool nothing_recomputed) {
    return pattern.name().append(nothing_recomputed ? ", nothing recomputed" : "");
}

}  // namespace

std::string BlockPattern::name() const {
    std::string name = "blocks by " + std::to_string(period);
    if (!first.empty()) name += ", first " + sizes_text(first);
    if (!last.empty()) name += ", last " + sizes_text(last);
    return name;
}

std::vector<std::size_t> BlockPattern::sizes(std::size_t blocks) const {
    std::vector<std::size_t> sizes, end;
    const auto take = [&blocks](std::vector<std::size_t>& to, std::size_t size) {
        const std::size_t taken = std::min(size, blocks);
        if (taken > 0) to.push_back(taken);
        blocks -= taken;
    };
    for (const std::size_t size : first) take(sizes, size);
    for (auto size = last.rbegin(); size != last.rend(); ++size) take(end, *size);
    while (blocks > 0) take(sizes, std::max<std::size_t>(period, 1));
    sizes.insert(sizes.end(), end.rbegin(), end.rend());
    return sizes;
}

BlockPlans::BlockPlans(const Graph& graph)
    : graph_(graph), tree_(graph, preferred_module_source(graph)), blocks_(block_count(tree_)) {}

std::vector<BucketEntry> BlockPlans::buckets_of(const BlockPattern& pattern) const {
    return buckets_of_blocks(tree_, pattern.sizes(blocks_), &graph_);
}

std::vector<BlockProposal> BlockPlans::periods() const {
    const PipelinePreset preset = pipeline_presets(graph_, tree_).front();
    std::vector<BlockProposal> proposals;
    const Plan start = plan_of(preset, graph_, "Blocks");
    const Plan kept = edits::without_memory_passes(start);
    std::vector<BucketEntry> before;
    for (std::size_t period = 1; period <= std::max<std::size_t>(blocks_, 1); ++period) {
        const BlockPattern pattern{{}, period, {}};
        std::vector<BucketEntry> buckets = buckets_of(pattern);
        if (!proposals.empty() && buckets == before) continue;
        for (const Plan* plan : {&kept, &start}) {
            if (plan == &kept && kept.pipeline == start.pipeline) continue;
            Plan proposed = *plan;
            proposed.buckets = buckets;
            proposals.push_back({{std::move(proposed), name_of(pattern, plan == &kept)}, pattern});
        }
        before = std::move(buckets);
    }
    return proposals;
}

bool BlockPlans::does_not_recompute(const Plan& plan) const {
    const Plan start = plan_of(pipeline_presets(graph_, tree_).front(), graph_, "Blocks");
    return edits::without_memory_passes(start).pipeline != start.pipeline &&
           edits::without_memory_passes(plan).pipeline == plan.pipeline;
}

std::vector<BlockProposal> BlockPlans::with_buckets(const Plan& plan, const std::vector<BlockPattern>& patterns) const {
    const bool kept = does_not_recompute(plan);
    std::vector<BlockProposal> proposals;
    for (const BlockPattern& pattern : patterns) {
        Plan changed = plan;
        changed.buckets = buckets_of(pattern);
        const auto same = [&](const BlockProposal& other) { return other.proposal.plan.buckets == changed.buckets; };
        if (std::ranges::none_of(proposals, same))
            proposals.push_back({{std::move(changed), name_of(pattern, kept)}, pattern});
    }
    return proposals;
}

std::vector<BlockProposal> BlockPlans::prologues(const Plan& plan, const BlockPattern& pattern) const {
    std::vector<BlockPattern> patterns;
    for (const std::size_t period : {pattern.period, pattern.period + 1, pattern.period - 1}) {
        if (period == 0 || period > blocks_) continue;
        for (const std::vector<std::size_t>& first : beginnings(period)) patterns.push_back({first, period, {}});
    }
    return with_buckets(plan, patterns);
}

std::vector<BlockProposal> BlockPlans::epilogues(const Plan& plan, const BlockPattern& pattern) const {
    std::vector<BlockPattern> patterns;
    for (std::vector<std::size_t> last : beginnings(pattern.period)) {
        std::ranges::reverse(last);
        patterns.push_back({pattern.first, pattern.period, last});
    }
    return with_buckets(plan, patterns);
}

}  // namespace overlap
