#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <optional>

#include "core/passes/bucketing/eligibility.h"
#include "core/plan/block_buckets.h"
#include "core/plan/plan.h"

namespace overlap {

namespace {

using ModuleId = ModuleTree::ModuleId;

/// Where torchtitan splits a mixture-of-experts block in two: the dense parts, and the experts, whose parameters are
/// sharded over other ranks (common_utils.py).
constexpr std::array<std::string_view, 5> dense_parts = {"attention_norm", "attention", "ffn_norm", "moe.router",
                                                         "moe.shared_experts"};
constexpr std::string_view expert_part = "moe.routed_experts.inner_experts";

/// Modules after the blocks in torchtitan's order; others keep the order in which the graph uses them.
constexpr std::array<std::string_view, 4> tail_order = {"norm", "lm_head", "output", "loss"};
constexpr std::size_t tail_always = tail_order.size();  ///< torchtitan names them whether or not they communicate

std::optional<std::size_t> block_number(std::string_view name) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return number;
}

class PlanStart {
  public:
    PlanStart(const ModuleTree& tree, const Graph* graph) : tree_(tree) {
        if (graph) eligibility_.emplace(*graph);
        std::size_t nodes = 0;
        for (ModuleId id = 0; id < tree.module_count(); ++id) {
            for (const NodeId node : tree.module(id).nodes) nodes = std::max<std::size_t>(nodes, node + 1);
        }
        taken_.assign(nodes, false);
    }

    /// @param sizes how many blocks each bucket has; the last one repeats.
    std::vector<BucketEntry> make(std::span<const std::size_t> sizes) {
        if (!tree_.exists()) return {};
        const ModuleId stack = find_block_stack();
        const ModuleId parent = stack == ModuleTree::no_module ? ModuleTree::root : tree_.module(stack).parent;
        std::vector<ModuleId> others;
        for (const ModuleId child : tree_.module(parent).children) {
            if (child != stack) others.push_back(child);
        }
        if (stack == ModuleTree::no_module) {
            for (const ModuleId module : others) {
                if (!eligibility_ || has_collectives(module)) add_entry({module});
            }
            return std::move(entries_);
        }
        std::erase_if(others, [&](ModuleId module) {
            const bool embedding = tree_.module(module).name.find("embed") != std::string::npos;
            if (embedding) add_entry({module});
            return embedding;
        });
        add_blocks(stack, sizes);
        std::stable_sort(others.begin(), others.end(),
                         [&](ModuleId left, ModuleId right) { return tail_rank(left) < tail_rank(right); });
        std::erase_if(others, [&](ModuleId module) {
            return tail_rank(module) >= tail_always && eligibility_ && !has_collectives(module);
        });
        add_entry(others);
        return std::move(entries_);
    }

    std::size_t blocks() const {
        const ModuleId stack = tree_.exists() ? find_block_stack() : ModuleTree::no_module;
        return stack == ModuleTree::no_module ? 0 : blocks_of(stack).size();
    }

  private:
    /// The module with the most numbered children; of equals, the one nearest to the root.
    ModuleId find_block_stack() const {
        ModuleId best = ModuleTree::no_module;
        std::size_t most = 1;
        std::deque<ModuleId> queue{ModuleTree::root};
        while (!queue.empty()) {
            const ModuleId id = queue.front();
            queue.pop_front();
            std::size_t numbered = 0;
            for (const ModuleId child : tree_.module(id).children) {
                numbered += block_number(tree_.module(child).name).has_value() ? 1 : 0;
                queue.push_back(child);
            }
            if (numbered > most || (numbered == most && best == ModuleTree::no_module)) {
                best = id;
                most = numbered;
            }
        }
        return best;
    }

    /// By their numbers.
    std::vector<ModuleId> blocks_of(ModuleId stack) const {
        std::vector<ModuleId> blocks;
        for (const ModuleId child : tree_.module(stack).children) {
            if (block_number(tree_.module(child).name)) blocks.push_back(child);
        }
        std::stable_sort(blocks.begin(), blocks.end(), [&](ModuleId left, ModuleId right) {
            return block_number(tree_.module(left).name) < block_number(tree_.module(right).name);
        });
        return blocks;
    }

    void add_blocks(ModuleId stack, std::span<const std::size_t> sizes) {
        const std::vector<ModuleId> blocks = blocks_of(stack);
        std::size_t bucket = 0;
        for (std::size_t first = 0; first < blocks.size(); ++bucket) {
            const std::size_t size = sizes.empty() ? 1 : sizes[std::min(bucket, sizes.size() - 1)];
            const std::size_t end = std::min(first + std::max<std::size_t>(size, 1), blocks.size());
            std::vector<ModuleId> dense, experts;
            for (; first < end; ++first) split_block(blocks[first], dense, experts);
            add_entry(dense);
            add_entry(experts);
        }
    }

    void split_block(ModuleId block, std::vector<ModuleId>& dense, std::vector<ModuleId>& experts) const {
        const ModuleId expert = below(block, expert_part);
        if (!eligibility_ || expert == ModuleTree::no_module || !has_collectives(expert)) {
            dense.push_back(block);
            return;
        }
        for (const std::string_view part : dense_parts) {
            const ModuleId module = below(block, part);
            if (module != ModuleTree::no_module) dense.push_back(module);
        }
        experts.push_back(expert);
    }

    ModuleId below(ModuleId block, std::string_view path) const {
        return tree_.find(tree_.path(block) + "." + std::string(path));
    }

    bool has_collectives(ModuleId module) const {
        const std::vector<NodeId>& nodes = tree_.module(module).nodes;
        return std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) { return eligibility_->eligible(node); });
    }

    std::size_t tail_rank(ModuleId module) const {
        const auto place = std::find(tail_order.begin(), tail_order.end(), tree_.module(module).name);
        return static_cast<std::size_t>(place - tail_order.begin());
    }

    /// An entry of those modules that share no node with an earlier one; none if there are none.
    void add_entry(const std::vector<ModuleId>& modules) {
        BucketEntry entry;
        for (const ModuleId module : modules) {
            const std::vector<NodeId>& nodes = tree_.module(module).nodes;
            if (std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) { return taken_[node]; })) continue;
            for (const NodeId node : nodes) taken_[node] = true;
            entry.modules.push_back(tree_.path(module));
        }
        if (!entry.modules.empty()) entries_.push_back(std::move(entry));
    }

    const ModuleTree& tree_;
    std::optional<BucketingEligibility> eligibility_;
    std::vector<bool> taken_;
    std::vector<BucketEntry> entries_;
};

}  // namespace

std::vector<BucketEntry> one_bucket_per_block(const ModuleTree& tree, const Graph* graph) {
    return one_bucket_per_blocks(tree, 1, graph);
}

std::vector<BucketEntry> one_bucket_per_blocks(const ModuleTree& tree, std::size_t blocks_per_bucket,
                                               const Graph* graph) {
    return PlanStart(tree, graph).make(std::span(&blocks_per_bucket, 1));
}

std::size_t block_count(const ModuleTree& tree) {
    return PlanStart(tree, nullptr).blocks();
}

std::vector<BucketEntry> buckets_of_blocks(const ModuleTree& tree, std::span<const std::size_t> sizes,
                                           const Graph* graph) {
    return PlanStart(tree, graph).make(sizes);
}

}  // namespace overlap
