#include "core/explain/explain_bucketing.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/explain/explain_words.h"
#include "core/explain/reached.h"
#include "core/graph/collective_words.h"
#include "core/passes/bucketing/bucket_keys.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/pipeline/resolved_plan.h"
#include "core/plan/automatic_plan.h"

namespace overlap {

namespace {

/// The one pass that makes buckets of an entry once for forward and once for backward. manual_overlap_bucketing, and
/// what chooses buckets itself, merges both directions.
constexpr std::string_view directions_apart = "joint_transformer_block_bucketing_reordering_pass";

/// What decides which collectives a collective can be merged with.
struct MergeKey {
    CollectiveKind kind;
    bool backward;
    std::string_view group;
    std::string_view reduction;
    std::string_view dtype;
};

MergeKey merge_key(const Graph& graph, NodeId start) {
    MergeKey key{graph.target_info(start).starts,
                 graph.metadata(start).autograd_backward.value_or(false),
                 graph.group_name(start),
                 {},
                 {}};
    const Value* reduction = key.kind == CollectiveKind::all_gather ? nullptr : graph.argument(start, 1);
    if (reduction && reduction->is(ValueKind::string)) key.reduction = graph.text(reduction->string);
    if (!graph.outputs(start).empty()) key.dtype = dtype_info(graph.outputs(start).front().dtype).name;
    return key;
}

/// Which of `names` are needed to compute `node`.
std::vector<std::string> needed_of(const Graph& graph, NodeId node, const std::vector<std::string>& names) {
    const std::vector<bool> before = reached(graph, {node}, Direction::inputs);
    std::vector<std::string> needed;
    for (const std::string& name : names) {
        const NodeId found = graph.find(name);
        if (found != no_node && before[found]) needed.push_back(name);
    }
    return needed;
}

/// Why a collective is in no bucket.
class LeftAlone {
  public:
    LeftAlone(const Graph& input, const Evaluation* evaluation)
        : input_(input), evaluation_(evaluation), resolved_(evaluation ? evaluation->resolved.get() : nullptr) {
        if (resolved_) steps_ = resolved_->steps;
    }

    std::vector<std::string> sentences(NodeId start) {
        tell(start);
        return std::move(sentences_);
    }

  private:
    void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

    void tell(NodeId start) {
        if (evaluation_ && !evaluation_->refused && bucketing_by_itself()) return tell_why_not_merged(start);
        const BucketingObstacle obstacle = BucketingEligibility(input_).obstacle(start);
        if (obstacle != BucketingObstacle::none) return say("It cannot be bucketed: " + describe(obstacle));
        if (!evaluation_ || evaluation_->graph == evaluation_->input) {
            if (evaluation_ && evaluation_->refused) return say("It is not bucketed: the plan is refused");
            return say("It can be bucketed, with " + with_same_key(start));
        }
        if (std::ranges::find(evaluation_->origin, start) == evaluation_->origin.end())
            return say("A pass of the pipeline removed it");
        const auto by_entries = [](const PassReport& report) { return takes_buckets(report.pass); };
        if (std::ranges::none_of(evaluation_->reports, by_entries))
            return say("It is not bucketed: no pass of the pipeline does that");
        const std::string entry = entry_of(start);
        if (entry.empty()) {
            return say("It is not bucketed: no entry of the plan has its module; it could be, with " +
                       with_same_key(start));
        }
        say("It is not bucketed although " + entry +
            " has its module: what earlier steps and entries made of the graph does not allow it any more");
    }

    /// The name of the first entry, of the plan or of a step's own, that has a module of the collective; or empty.
    std::string entry_of(NodeId start) const {
        for (std::size_t step = 0; step < steps_.size(); ++step) {
            const std::optional<StepBuckets> buckets = step_buckets(steps_[step].step);
            if (!buckets) continue;
            const auto modules = resolved_->modules_of(evaluation_->input, buckets->source);
            for (std::size_t entry = 0; entry < buckets->entries.size(); ++entry) {
                const auto has_it = [&](const std::string& module) {
                    return std::ranges::find(modules->nodes(module), start) != modules->nodes(module).end();
                };
                if (std::ranges::any_of(buckets->entries[entry].modules, has_it))
                    return entry_words(*evaluation_, steps_, evaluation_->reports[step], entry);
            }
        }
        return "";
    }

    /// Whether a step makes buckets without entries, and none takes entries.
    bool bucketing_by_itself() const {
        const auto by_entries = [](const PassReport& report) { return takes_buckets(report.pass); };
        return std::ranges::none_of(evaluation_->reports, by_entries) &&
               std::ranges::any_of(evaluation_->reports,
                                   [](const PassReport& report) { return decides_buckets(report.pass); });
    }

    /// Why passes that choose buckets themselves did not bucket a collective.
    void tell_why_not_merged(NodeId start) {
        if (std::ranges::find(evaluation_->origin, start) == evaluation_->origin.end()) {
            return say("A pass of the pipeline removed it");
        }
        const CollectiveKind kind = bucketable_kind(input_, start);
        if (kind == CollectiveKind::none) {
            return say("It is not bucketed: no pass merges " + collective_words(input_.target_info(start).starts) +
                       "s of its form");
        }
        const BucketKey key = bucket_key(input_, start);
        std::vector<std::string> others;
        for (NodeId node = 0; node < input_.node_count(); ++node) {
            if (node != start && bucketable_kind(input_, node) == kind && bucket_key(input_, node) == key) {
                others.emplace_back(input_.name(node));
            }
        }
        if (others.empty()) {
            return say("It is not bucketed: no other collective has its kind, process group and dtype");
        }
        const std::vector<bool> before = reached(input_, {start}, Direction::inputs),
                                after = reached(input_, {start}, Direction::users);
        const std::size_t dependent =
            static_cast<std::size_t>(std::ranges::count_if(others, [&](const std::string& name) {
                const NodeId node = input_.find(name);
                return before[node] || after[node];
            }));
        std::string sentence = "It is not bucketed with any of " + counted(others.size(), "other") +
                               " of its kind, process group and dtype";
        if (dependent == others.size()) return say(sentence + ": each needs its result or is needed for it");
        if (const std::string reason = found_apart(start); !reason.empty()) {
            say(sentence);
            return say("It was not merged " + reason);
        }
        if (dependent > 0) {
            sentence += ": " + std::to_string(dependent) + " of them need its result or are needed for it; the rest";
        } else {
            sentence += ": they";
        }
        say(sentence + " " + why_kept_apart());
    }

    /// What the overlap scheduler's search found for a collective that it did not bucket; empty where it did not
    /// compare it.
    std::string found_apart(NodeId start) const {
        for (const PassReport& report : evaluation_->reports) {
            const auto told = std::ranges::find(report.collectives, input_.name(start), &CollectiveReport::start);
            if (told != report.collectives.end()) return told->kept_apart;
        }
        return "";
    }

    /// What keeps collectives apart that could be merged, by the passes that ran.
    std::string why_kept_apart() const {
        const PassReport& report = *std::ranges::find_if(
            evaluation_->reports, [](const PassReport& candidate) { return decides_buckets(candidate.pass); });
        if (report.pass != automatic_pass) {
            return "are not its neighbours, are not what " + report.pass +
                   " merges, or would make the bucket too large";
        }
        const auto step = std::ranges::find_if(
            steps_, [&](const ResolvedStep& candidate) { return candidate.step.pass == report.pass; });
        const OptionValue* merging = step == steps_.end() ? nullptr : step->step.options.find("collective_bucketing");
        const bool merges = merging && *merging == OptionValue(true);
        return merges ? "are too far away, or merging would expose what is hidden now"
                      : "are only merged beforehand, since the option collective_bucketing is off";
    }

    /// Whether no pass of the plan would merge a collective of the forward pass with one of the backward pass.
    bool directions_stay_apart() const {
        bool apart = false;
        for (const ResolvedStep& step : steps_) {
            if (!step.step.enabled) continue;
            if (step.step.pass == directions_apart) {
                apart = true;
            } else if (takes_buckets(step.step.pass) || decides_buckets(step.step.pass)) {
                return false;
            }
        }
        return apart;
    }

    /// How many others of the graph share its kind, group and dtype, as far as that is known beforehand.
    std::string with_same_key(NodeId start) const {
        const MergeKey mine = merge_key(input_, start);
        std::size_t others = 0;
        const bool apart = directions_stay_apart();
        const BucketingEligibility eligibility(input_);
        for (const NodeId node : eligibility.collectives()) {
            const MergeKey key = merge_key(input_, node);
            others += node != start && key.kind == mine.kind && key.group == mine.group && key.dtype == mine.dtype &&
                      key.reduction == mine.reduction && (!apart || key.backward == mine.backward);
        }
        const std::string company = others == 0   ? "no other collective"
                                    : others == 1 ? "one other"
                                                  : "any of " + std::to_string(others) + " others";
        return company + " of its kind, " + (apart ? "direction, " : "") + "process group and dtype";
    }

    const Graph& input_;
    const Evaluation* evaluation_;
    const ResolvedPlan* resolved_;         ///< null where there is no plan
    std::span<const ResolvedStep> steps_;  ///< of the plan, as they were run
    std::vector<std::string> sentences_;
};

}  // namespace

std::string what_separates(const Graph& input, NodeId start, std::string_view pass, const BucketReport& bucket,
                           const BucketReport& other, NodeId member) {
    const MergeKey mine = merge_key(input, start), theirs = merge_key(input, member);
    // Different kinds and directions are not mentioned, except where nothing else explains a bucket of one.
    const bool alone = bucket.members.size() == 1;
    if (mine.kind != theirs.kind)
        return alone ? "other kinds are not merged with " + collective_words(mine.kind) + "s" : "";
    if (pass == directions_apart && mine.backward != theirs.backward)
        return alone ? "forward and backward are bucketed apart" : "";
    // Earlier steps may have changed the groups, so the reports say which ones the step saw.
    if (bucket.process_group != other.process_group) {
        return "process group " + in_quotes(other.process_group) + " instead of " + in_quotes(bucket.process_group);
    }
    if (mine.reduction != theirs.reduction) {
        return "reduction " + std::string(theirs.reduction) + " instead of " + std::string(mine.reduction);
    }
    if (mine.dtype != theirs.dtype) {
        return "dtype " + std::string(theirs.dtype) + " instead of " + std::string(mine.dtype);
    }
    const std::vector<std::string> needed = needed_of(input, start, other.members);
    if (!needed.empty()) return "it needs the result of " + enumerated(needed);
    for (const std::string& name : other.members) {
        if (!needed_of(input, input.find(name), bucket.members).empty()) {
            return name + " needs the result of a member of this bucket";
        }
    }
    return "what is merged earlier would make one need the other's result";
}

std::vector<std::string> why_not_bucketed(const Graph& input, NodeId start, const Evaluation* evaluation) {
    return LeftAlone(input, evaluation).sentences(start);
}

}  // namespace overlap
