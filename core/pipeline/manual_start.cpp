#include "core/pipeline/manual_start.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "core/base/wording.h"
#include "core/modules/home_module.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/plan/automatic_plan.h"

namespace overlap {

namespace {

using ModuleId = ModuleTree::ModuleId;

class ManualStartWriter {
  public:
    ManualStartWriter(const Plan& plan, const Evaluation& evaluation)
        : graph_(*evaluation.input),
          tree_(graph_, preferred_module_source(graph_)),
          eligibility_(graph_),
          homes_(home_modules(tree_, graph_.node_count())),
          buckets_(final_buckets(evaluation)),
          bucket_of_(graph_.node_count(), none),
          entry_of_(graph_.node_count(), none) {
        start_.plan = make_plan(graph_, "");
        // What is not of buckets stays as the plan has it.
        start_.plan.module_rules = plan.module_rules;
        start_.plan.memory = plan.memory;
        start_.plan.added_by_reading = plan.added_by_reading;
        start_.plan.device_orders = plan.device_orders;
        start_.plan.process_groups = plan.process_groups;
        start_.plan.unread_process_groups = plan.unread_process_groups;
        start_.plan.graph_extra = plan.graph_extra;
        start_.plan.extra = plan.extra;
        for (const OverlapDirective& overlap : plan.overlaps.list) overlaps_.push_back(overlap.collective);
        start_.plan.pipeline.insert(start_.plan.pipeline.begin(), plan.pipeline.begin(),
                                    plan.pipeline.begin() + static_cast<std::ptrdiff_t>(automatic_step(plan)));
    }

    ManualStart write() {
        place_members();
        std::vector<std::size_t> order(buckets_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        // Gathers of parameters before the rest, since they run first and users expect them first.
        std::ranges::stable_sort(order, {}, [&](std::size_t bucket) { return is_gathering(bucket) ? 0 : 1; });
        for (const std::size_t bucket : order) add_entry(bucket);
        note_regrouped();
        note_widened();
        note_unplaced();
        if (!overlaps_.empty())
            say(counted(overlaps_.size(), "overlap") + " by hand " + (overlaps_.size() == 1 ? "is" : "are") +
                    " left out, since the automatic pass made the buckets that " +
                    (overlaps_.size() == 1 ? "it moves" : "they move"),
                std::move(overlaps_));
        return std::move(start_);
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// Notes which collectives of the graph each bucket has, as far as manual bucketing may merge them.
    void place_members() {
        placed_.resize(buckets_.size());
        for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
            for (const std::string& member : buckets_[bucket].members) {
                const NodeId node = graph_.find(member);
                if (node == no_node) {
                    unplaced_["a pass before made it, and it has no module of its own"].push_back(member);
                } else if (!eligibility_.eligible(node)) {
                    unplaced_["manual bucketing leaves it alone: " + describe(eligibility_.obstacle(node))].push_back(
                        member);
                } else if (homes_[node] == ModuleTree::no_module || homes_[node] == ModuleTree::root) {
                    unplaced_["it is in no module"].push_back(member);
                } else {
                    placed_[bucket].push_back(node);
                    bucket_of_[node] = bucket;
                }
            }
        }
    }

    bool is_gathering(std::size_t bucket) const {
        return !placed_[bucket].empty() &&
               graph_.target_info(placed_[bucket].front()).starts == CollectiveKind::all_gather;
    }

    /// The collectives of a module that could be in a bucket such as `like` is in.
    std::vector<NodeId> peers(ModuleId module, NodeId like) const {
        std::vector<NodeId> nodes;
        for (const NodeId node : tree_.module(module).nodes) {
            if (eligibility_.eligible(node) && graph_.target_info(node).starts == graph_.target_info(like).starts &&
                graph_.metadata(node).autograd_backward == graph_.metadata(like).autograd_backward) {
                nodes.push_back(node);
            }
        }
        return nodes;
    }

    bool has_all(std::size_t bucket, ModuleId module, NodeId like) const {
        return std::ranges::all_of(peers(module, like), [&](NodeId node) { return bucket_of_[node] == bucket; });
    }

    bool is_free(ModuleId module) const {
        return std::ranges::all_of(tree_.module(module).nodes, [&](NodeId node) { return entry_of_[node] == none; });
    }

    /// The largest module around `module` of whose collectives the bucket has all.
    ModuleId widest(std::size_t bucket, ModuleId module, NodeId like) const {
        for (ModuleId parent = tree_.module(module).parent;
             parent != ModuleTree::no_module && parent != ModuleTree::root && has_all(bucket, parent, like) &&
             is_free(parent);
             parent = tree_.module(parent).parent) {
            module = parent;
        }
        return module;
    }

    void add_entry(std::size_t bucket) {
        BucketEntry entry;
        const std::size_t number = start_.plan.buckets.size();
        for (const NodeId node : placed_[bucket]) {
            if (entry_of_[node] != none) continue;
            if (!is_free(homes_[node])) {
                unplaced_["a module inside its own is in a card"].emplace_back(graph_.name(node));
                continue;
            }
            const ModuleId module = widest(bucket, homes_[node], node);
            for (const NodeId inside : tree_.module(module).nodes) entry_of_[inside] = number;
            entry.modules.push_back(tree_.path(module));
        }
        if (!entry.modules.empty()) start_.plan.buckets.push_back(std::move(entry));
    }

    /// Buckets whose members are in several cards, because other buckets required it.
    void note_regrouped() {
        std::vector<std::string> names;
        for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
            const std::vector<NodeId>& nodes = placed_[bucket];
            const auto elsewhere = [&](NodeId node) { return entry_of_[node] != entry_of_[nodes.front()]; };
            if (std::ranges::any_of(nodes, elsewhere)) names.push_back(buckets_[bucket].start);
        }
        if (names.empty()) return;
        say(counted(names.size(), "bucket") + (names.size() == 1 ? " is" : " are") +
                " divided, since a module has one card and other buckets group it differently",
            std::move(names));
    }

    /// Collectives that are in a card because their module is, although they were not merged with the others.
    void note_widened() {
        std::vector<std::string> names;
        for (const NodeId node : eligibility_.collectives()) {
            if (entry_of_[node] != none && bucket_of_[node] == none) names.emplace_back(graph_.name(node));
        }
        if (names.empty()) return;
        say(counted(names.size(), "collective") + " that the automatic pass left alone " +
                (names.size() == 1 ? "comes" : "come") + " along, since cards take whole modules",
            std::move(names));
    }

    void note_unplaced() {
        for (auto& [reason, names] : unplaced_) {
            say(counted(names.size(), "collective") + (names.size() == 1 ? " is" : " are") + " in no card: " + reason,
                std::move(names));
        }
    }

    /// @param names taken here and not when it is called: sentences count them, and arguments are made in any order.
    void say(std::string sentence, std::vector<std::string>&& names) {
        start_.left_out.push_back({std::move(sentence), std::move(names)});
    }

    const Graph& graph_;
    ModuleTree tree_;
    BucketingEligibility eligibility_;
    std::vector<ModuleId> homes_;
    std::vector<FinalBucket> buckets_;
    std::vector<std::vector<NodeId>> placed_;                   ///< by bucket
    std::vector<std::size_t> bucket_of_, entry_of_;             ///< by node
    std::map<std::string, std::vector<std::string>> unplaced_;  ///< collectives by the reason why
    std::vector<std::string> overlaps_;                         ///< collectives that are moved by hand
    ManualStart start_;
};

}  // namespace

std::vector<FinalBucket> final_buckets(const Evaluation& evaluation) {
    std::vector<FinalBucket> buckets;
    std::vector<bool> merged_again;
    std::unordered_map<std::string_view, std::size_t> of_start;  // of those that are not merged again
    for (const PassReport& report : evaluation.reports) {
        for (const BucketReport& merged : report.buckets) {
            FinalBucket bucket{merged.start, {}};
            for (const std::string& member : merged.members) {
                const auto earlier = of_start.find(member);
                if (earlier == of_start.end()) {
                    bucket.members.push_back(member);
                } else {
                    std::vector<std::string>& members = buckets[earlier->second].members;
                    std::ranges::move(members, std::back_inserter(bucket.members));
                    merged_again[earlier->second] = true;
                    of_start.erase(earlier);
                }
            }
            of_start.insert_or_assign(merged.start, buckets.size());
            buckets.push_back(std::move(bucket));
            merged_again.push_back(false);
        }
    }
    std::vector<FinalBucket> last;
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket)
        if (!merged_again[bucket]) last.push_back(std::move(buckets[bucket]));
    return last;
}

std::string manual_start_obstacle(const Plan& plan, const Evaluation* evaluation, const ModuleTree& tree) {
    if (automatic_step(plan) == plan.pipeline.size()) {
        return "The plan has no automatic pass; Add automatic plan makes one";
    }
    if (!tree.exists()) return "The nodes of this graph have no modules, and cards are made of modules";
    if (!evaluation) return "The automatic result is not there yet";
    if (evaluation->refused) return "The plan is refused, so there is no automatic result";
    const bool buckets =
        std::ranges::any_of(evaluation->reports, [](const PassReport& report) { return !report.buckets.empty(); });
    return buckets ? "" : "The automatic pass made no buckets; switch on its option collective_bucketing";
}

ManualStart manual_start(const Plan& plan, const Evaluation& evaluation) {
    return ManualStartWriter(plan, evaluation).write();
}

}  // namespace overlap
