#include <algorithm>
#include <charconv>
#include <utility>

#include "core/advice/collective_advice.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/bucket_drop.h"

namespace overlap {
namespace {

constexpr std::size_t new_entry = static_cast<std::size_t>(-1);

/// `layers.4` for `layers.3` and 1; empty for a block without a number.
std::string sibling(const std::string& block, int step) {
    const std::size_t name = block.rfind('.') + 1;  // 0 where there is no dot
    int number = 0;
    const auto [end, error] = std::from_chars(block.data() + name, block.data() + block.size(), number);
    if (error != std::errc() || end != block.data() + block.size() || number + step < 0) return {};
    return block.substr(0, name) + std::to_string(number + step);
}

class BucketChanges {
  public:
    explicit BucketChanges(const AdvisedCollective& collective)
        : collective_(collective), buckets_(collective.plan().buckets) {}

    std::vector<Advice> all() {
        const std::int32_t entry = collective_.evaluation->bucket_of_node[collective_.timing.start];
        if (entry >= 0) {
            change_entry(static_cast<std::size_t>(entry));
        } else if (!collective_.blocks.empty()) {
            place_blocks();
        }
        return std::move(changes_);
    }

  private:
    void add(std::string text, Buckets buckets) {
        Advice advice{std::move(text), {}, collective_.plan()};
        advice.plan.buckets = std::move(buckets);
        changes_.push_back(std::move(advice));
    }

    std::string name(std::size_t entry) const { return display_name(buckets_[entry]); }

    void change_entry(std::size_t entry) {
        if (entry > 0) merge(entry - 1, entry);
        if (entry + 1 < buckets_.size()) merge(entry, entry + 1);
        if (buckets_[entry].modules.size() > 1) add("split " + name(entry), edits::split(buckets_, entry));
    }

    void merge(std::size_t first, std::size_t second) {
        if (buckets_[first].modules.empty() || buckets_[second].modules.empty()) return;
        add("merge " + name(first) + " and " + name(second), edits::merge(buckets_, {first, second}));
    }

    /// The collective's blocks are in no entry yet.
    void place_blocks() {
        const Evaluation& evaluation = *collective_.evaluation;
        const BucketingEligibility eligibility(*evaluation.input);
        const ModuleTree& tree = *evaluation.resolved->modules;
        const auto allowed = [&](std::size_t target) {
            return drop_refusal(*evaluation.input, tree, eligibility, buckets_, collective_.blocks, target).empty();
        };
        const std::string blocks = display_name(BucketEntry{.modules = collective_.blocks});
        if (allowed(new_entry))
            add("a bucket for " + blocks, edits::move_modules_to_new(buckets_, collective_.blocks, buckets_.size()));
        for (const std::size_t entry : neighbours())
            if (allowed(entry))
                add(blocks + " into the bucket of " + name(entry),
                    edits::move_modules(buckets_, collective_.blocks, entry));
    }

    /// Entries that have the block before the first or after the last of the collective's.
    std::vector<std::size_t> neighbours() const {
        std::vector<std::size_t> entries;
        for (const auto& [block, step] : {std::pair(collective_.blocks.front(), -1), {collective_.blocks.back(), 1}}) {
            const int entry = bucket_of_module(buckets_, sibling(block, step));
            if (entry >= 0 && std::ranges::find(entries, static_cast<std::size_t>(entry)) == entries.end())
                entries.push_back(static_cast<std::size_t>(entry));
        }
        return entries;
    }

    const AdvisedCollective& collective_;
    const Buckets& buckets_;
    std::vector<Advice> changes_;
};

}  // namespace

std::vector<Advice> bucket_advice(const AdvisedCollective& collective) {
    if (!takes_entries(collective.plan())) return {};
    return BucketChanges(collective).all();
}

}  // namespace overlap
