#include <algorithm>
#include <set>
#include <string>

#include "core/advice/advice.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/plan_edits.h"
#include "core/search/moves.h"

namespace overlap {
namespace {

class BucketMoves {
  public:
    explicit BucketMoves(const Plan& plan) : plan_(plan) {}

    void around(std::size_t entry) {
        const std::vector<BucketEntry>& buckets = plan_.buckets;
        const std::string number = std::to_string(entry + 1);
        if (entry + 1 < buckets.size()) {
            add(edits::merge(buckets, {entry, entry + 1}), "buckets " + number + " and the next merged");
            give(entry, entry + 1, buckets[entry].modules.back());
            give(entry + 1, entry, buckets[entry + 1].modules.front());
        }
        if (buckets[entry].modules.size() > 1) add(edits::split(buckets, entry), "bucket " + number + " split");
        add(edits::remove(buckets, {entry}), "bucket " + number + " taken out");
    }

    std::vector<Proposal> take() { return std::move(proposals_); }
    std::size_t size() const { return proposals_.size(); }

  private:
    void give(std::size_t from, std::size_t to, const std::string& module) {
        if (plan_.buckets[from].modules.size() > 1)
            add(edits::move_modules(plan_.buckets, {module}, to),
                module + " moved from bucket " + std::to_string(from + 1) + " to bucket " + std::to_string(to + 1));
    }

    void add(std::vector<BucketEntry> buckets, std::string origin) {
        Plan plan = plan_;
        plan.buckets = std::move(buckets);
        proposals_.push_back({std::move(plan), std::move(origin)});
    }

    const Plan& plan_;
    std::vector<Proposal> proposals_;
};

bool has_buckets(const Plan& plan) {
    return !plan.buckets.empty() && takes_entries(plan) &&
           std::ranges::none_of(plan.buckets, [](const BucketEntry& entry) { return entry.modules.empty(); });
}

}  // namespace

std::vector<Proposal> bucket_moves(const Evaluation& evaluation, std::mt19937& random, std::size_t most) {
    const Plan& plan = evaluation.resolved->plan;
    if (!has_buckets(plan)) return {};
    BucketMoves moves(plan);
    std::set<std::size_t> done;
    const auto once = [&](std::size_t entry) {
        if (moves.size() < most && entry < plan.buckets.size() && done.insert(entry).second) moves.around(entry);
    };
    for (const std::size_t index : most_exposed(evaluation, 4)) {
        const std::int32_t entry = evaluation.bucket_of_node[evaluation.simulation.collectives[index].start];
        if (entry < 0) continue;
        once(static_cast<std::size_t>(entry));
        if (entry > 0) once(static_cast<std::size_t>(entry) - 1);
    }
    while (moves.size() < most && done.size() < plan.buckets.size()) once(random() % plan.buckets.size());
    return moves.take();
}

}  // namespace overlap
