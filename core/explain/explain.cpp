#include "core/explain/explain.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/cost/control_deps.h"
#include "core/explain/explain_schedule.h"
#include "core/explain/reached.h"
#include "core/modules/home_module.h"
#include "core/passes/bucketing/bucket_keys.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/passes/overlaps/directed_order.h"
#include "core/pipeline/why_exposed.h"
#include "core/plan/automatic_plan.h"
#include "core/simulate/hiding_compute.h"

namespace overlap {

namespace {

/// `all_gather` as it is usually written.
std::string words(CollectiveKind kind) {
    std::string text(collective_kind_name(kind));
    std::ranges::replace(text, '_', '-');
    return text;
}

std::string with_article(CollectiveKind kind) {
    const std::string text = words(kind);
    return (text.starts_with('a') ? "an " : "a ") + text;
}

/// The node that communicates: `node` itself, or what it waits for; no_node for others.
NodeId communicating(const Graph& graph, NodeId node) {
    if (graph.op(node) != NodeOp::call_function) return no_node;
    const TargetInfo& info = graph.target_info(node);
    if (info.starts != CollectiveKind::none) return node;
    return info.is_wait ? graph.awaited_start(node) : no_node;
}

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

class Explainer {
  public:
    Explainer(const Graph& input, const Evaluation* evaluation, Introduction introduction)
        : input_(input),
          evaluation_(evaluation),
          resolved_(evaluation ? evaluation->resolved.get() : nullptr),
          introduces_(introduction == Introduction::included) {
        if (resolved_) steps_ = resolved_->steps;
    }

    CollectiveExplanation of_input(NodeId node) {
        const NodeId start = communicating(input_, node);
        if (start == no_node) return no_collective(input_, node);
        explanation_.collective = input_.name(start);
        if (introduces_) {
            if (start != node) introduce_wait(input_, node);
            introduce(input_, start);
        }
        std::string runs = explanation_.collective;
        if (evaluation_) runs = follow(runs);
        if (explanation_.bucket) {
            tell_company();
            tell_separated(start);
        } else {
            tell_why_left_alone(start);
        }
        if (evaluation_) tell_timing(evaluation_->graph->find(runs));
        tell_overlaps(runs);
        tell_schedule();
        return std::move(explanation_);
    }

    CollectiveExplanation of_result(NodeId node) {
        const Graph& graph = *evaluation_->graph;
        const NodeId origin = evaluation_->origin[node];
        if (origin != no_node && communicating(input_, origin) != no_node) return of_input(origin);
        NodeId start = communicating(graph, node);
        if (start == no_node) start = wrapped(graph, node);
        if (start == no_node) return no_collective(graph, node);
        explanation_.collective = graph.name(start);
        for (const PassReport& report : evaluation_->reports) {
            for (const BucketReport& bucket : report.buckets) {
                if (bucket.start != explanation_.collective) continue;
                explanation_.bucket = &bucket;
                step_ = &report;
            }
        }
        if (introduces_) {
            if (start != node) introduce_wait(graph, node);
            explanation_.bucket ? introduce_merged(*explanation_.bucket) : introduce(graph, start);
        }
        tell_timing(start);
        tell_overlaps(explanation_.collective);
        tell_schedule();
        return std::move(explanation_);
    }

  private:
    void say(std::string sentence) { explanation_.sentences.push_back(std::move(sentence)); }

    CollectiveExplanation no_collective(const Graph& graph, NodeId node) {
        say(std::string(graph.name(node)) + " is no collective: it starts no communication and waits for none");
        return std::move(explanation_);
    }

    /// A collective inside control_deps, which represents it.
    NodeId wrapped(const Graph& graph, NodeId node) const {
        if (!is_control_deps(graph, node)) return no_node;
        return evaluation_->simulation.collective_of_node[node] >= 0 ? node : no_node;
    }

    /// Those of the evaluation where it has them.
    std::shared_ptr<const ModuleTree> modules_shown(const Graph& graph) const {
        if (evaluation_) {
            for (const auto& known : {evaluation_->input, evaluation_->graph})
                if (known.get() == &graph) return modules_of(*evaluation_, known);
        }
        return std::make_shared<const ModuleTree>(graph, preferred_module_source(graph));
    }

    void introduce_wait(const Graph& graph, NodeId wait) {
        say(std::string(graph.name(wait)) + " waits for " + explanation_.collective);
    }

    void introduce_merged(const BucketReport& bucket) {
        say(bucket.start + " is the " + words(bucket.kind) + " that " + maker(*step_, bucket) + " makes of " +
            std::to_string(bucket.members.size()) + (bucket.members.size() == 1 ? " collective: " : " collectives: ") +
            enumerated(bucket.members) + "; " + "process group " + bucket.process_group + ", " + bucket.dtype + ", " +
            bytes_text(bucket.bytes));
    }

    void introduce(const Graph& graph, NodeId start) {
        const std::shared_ptr<const ModuleTree> tree = modules_shown(graph);
        std::string module;
        if (tree->exists()) {
            const ModuleTree::ModuleId home = home_modules(*tree, graph.node_count())[start];
            if (home != ModuleTree::no_module) module = tree->path(home);
        }
        const std::string_view name = graph.group_name(start);
        const ProcessGroup* group = graph.header().process_group(name);
        std::string sentence(graph.name(start));
        sentence += " is " + with_article(graph.target_info(start).starts) + " of " +
                    bytes_text(collective_bytes(graph, start));
        if (!name.empty()) sentence += " on process group " + std::string(name);
        if (group) {
            sentence += " (" + std::to_string(group->ranks.size()) + " ranks" +
                        (group->description.empty() ? "" : ", " + group->description) + ")";
        }
        say(sentence + (module.empty() ? ", in no module" : ", of module " + module));
    }

    /// @param report of the step whose entry it is.
    std::string entry_name(const PassReport& report, std::size_t entry) const {
        const auto step = static_cast<std::size_t>(&report - evaluation_->reports.data());
        const std::string name = "entry " + std::to_string(entry + 1);
        if (step >= steps_.size()) return name;
        const std::optional<StepBuckets> buckets = step_buckets(steps_[step].step);
        if (!buckets || entry >= buckets->entries.size()) return name;
        return name + " (" + display_name(buckets->entries[entry]) + ")";
    }

    /// `entry 3 (layers.0) of manual_overlap_bucketing`; the pass alone where it chose the bucket itself.
    std::string maker(const PassReport& report, const BucketReport& bucket) const {
        return bucket.plan_entry ? entry_name(report, *bucket.plan_entry) + " of " + report.pass : report.pass;
    }

    /// Walks the steps: notes the first bucket that takes the collective, and what takes that bucket later.
    /// @returns the node that runs in its place.
    std::string follow(std::string name) {
        for (const PassReport& report : evaluation_->reports) {
            for (const BucketReport& bucket : report.buckets) {
                if (std::ranges::find(bucket.members, name) == bucket.members.end()) continue;
                if (explanation_.bucket) {
                    later_.push_back(&bucket);
                } else {
                    explanation_.bucket = &bucket;
                    step_ = &report;
                }
                name = bucket.start;
            }
        }
        return name;
    }

    void tell_company() {
        const BucketReport& bucket = *explanation_.bucket;
        std::vector<std::string> others = bucket.members;
        std::erase(others, explanation_.collective);
        const std::string merged = bucket.start + " of " + bytes_text(bucket.bytes) + ", by " + maker(*step_, bucket);
        if (others.empty()) {
            say("It is alone in its bucket, rewritten as " + merged);
        } else {
            say("It is bucketed with " + std::to_string(others.size()) +
                (others.size() == 1 ? " other, " : " others, ") + enumerated(others) + ", as " + merged);
        }
        for (const BucketReport* later : later_) {
            say("That is merged again with " + counted(later->members.size() - 1, "other") + ", as " + later->start +
                " of " + bytes_text(later->bytes));
        }
    }

    /// The entry's other buckets, and what keeps them apart from this one.
    void tell_separated(NodeId start) {
        if (!explanation_.bucket->plan_entry) return;
        for (const BucketReport& other : step_->buckets) {
            if (&other == explanation_.bucket || other.plan_entry != explanation_.bucket->plan_entry) continue;
            const NodeId member = input_.find(other.members.front());
            if (member == no_node || communicating(input_, member) != member) continue;
            const std::string reason = what_separates(start, member, other);
            if (!reason.empty()) say("Not with " + enumerated(other.members) + " of the same entry: " + reason);
        }
    }

    /// Empty where there is nothing worth showing.
    std::string what_separates(NodeId start, NodeId member, const BucketReport& other) const {
        const MergeKey mine = merge_key(input_, start), theirs = merge_key(input_, member);
        // Different kinds and directions are not mentioned, except where nothing else explains a bucket of one.
        const bool alone = explanation_.bucket->members.size() == 1;
        if (mine.kind != theirs.kind) return alone ? "other kinds are not merged with " + words(mine.kind) + "s" : "";
        if (mine.backward != theirs.backward) return alone ? "forward and backward are bucketed apart" : "";
        // Earlier steps may have changed the groups, so the reports say which ones the step saw.
        if (explanation_.bucket->process_group != other.process_group) {
            return "process group " + other.process_group + " instead of " + explanation_.bucket->process_group;
        }
        if (mine.reduction != theirs.reduction) {
            return "reduction " + std::string(theirs.reduction) + " instead of " + std::string(mine.reduction);
        }
        if (mine.dtype != theirs.dtype) {
            return "dtype " + std::string(theirs.dtype) + " instead of " + std::string(mine.dtype);
        }
        const std::vector<std::string> needed = needed_of(input_, start, other.members);
        if (!needed.empty()) return "it needs the result of " + enumerated(needed);
        for (const std::string& name : other.members) {
            if (!needed_of(input_, input_.find(name), explanation_.bucket->members).empty()) {
                return name + " needs the result of a member of this bucket";
            }
        }
        return "what is merged earlier would make one need the other's result";
    }

    void tell_why_left_alone(NodeId start) {
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
                    return entry_name(evaluation_->reports[step], entry);
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
            return say("It is not bucketed: no pass merges " + words(input_.target_info(start).starts) +
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

    /// How many others of the graph share its kind, group and dtype, as far as that is known beforehand.
    std::string with_same_key(NodeId start) const {
        const MergeKey mine = merge_key(input_, start);
        std::size_t others = 0;
        const BucketingEligibility eligibility(input_);
        for (const NodeId node : eligibility.collectives()) {
            const MergeKey key = merge_key(input_, node);
            others += node != start && key.kind == mine.kind && key.group == mine.group && key.dtype == mine.dtype &&
                      key.reduction == mine.reduction && key.backward == mine.backward;
        }
        return (others == 0 ? "no other collective" : "any of " + std::to_string(others) + " others") +
               " of its kind, process group and dtype";
    }

    void tell_timing(NodeId start) {
        if (start == no_node) return;
        const Simulation& simulation = evaluation_->simulation;
        if (start >= simulation.collective_of_node.size()) return;
        if (!evaluation_->times_known) {
            if (simulation.collective_of_node[start] >= 0)
                say("How long it takes is not known: neither the graph nor a cost model gives times");
            return;
        }
        explanation_.timing = simulation.collective_of_node[start];
        if (explanation_.timing < 0) return;
        const auto index = static_cast<std::size_t>(explanation_.timing);
        const CollectiveTiming& timing = simulation.collectives[index];
        const std::string duration = time_text(timing.end_ms - timing.start_ms);
        const std::string who =
            explanation_.bucket && explanation_.bucket->start != explanation_.collective ? "The bucket" : "It";
        const std::string reason = why_exposed(*evaluation_, index);
        if (!reason.empty()) say(who + (who == "It" ? " " : "'s collective ") + reason);
        const HidingCompute compute(*evaluation_->graph, evaluation_->times_ms, simulation);
        const std::vector<HidingNode> hiding = compute.of(timing);
        const bool exposed = !reason.empty();
        if (!hiding.empty()) {
            const std::string elsewhere = stands_still_for_others(timing, hiding);
            std::string sentence = exposed ? "The rest of its " : who + " takes ";
            sentence += duration + (exposed ? " is" : elsewhere.empty() ? ", all" : ",");
            say(sentence + " hidden behind " + names(hiding) + elsewhere);
        } else if (!exposed) {
            say(who + " takes " + duration +
                (timing.wait == no_node ? "; nothing waits for it" : ", none of it exposed"));
        }
    }

    /// What was requested by hand.
    void tell_overlaps(std::string_view runs) {
        if (!resolved_) return;
        const std::vector<DirectiveOutcome>& outcomes = evaluation_->overlaps.directives;
        for (std::size_t index = 0; index < outcomes.size(); ++index) {
            const DirectiveOutcome& outcome = outcomes[index];
            if (outcome.start == no_node || evaluation_->undirected->name(outcome.start) != runs) continue;
            const std::string asked = describe(resolved_->plan.overlaps.list[index]);
            say(outcome.holds() ? asked + ", because you asked for it"
                                : "You asked that " + asked + ", which is left out: " + outcome.refusal);
        }
    }

    void tell_schedule() {
        if (!evaluation_) return;
        for (std::string& sentence : explain_schedule(*evaluation_, explanation_.collective)) say(std::move(sentence));
    }

    std::string names(std::span<const HidingNode> compute) const {
        std::vector<std::string> names;
        for (const HidingNode& hiding : compute)
            names.push_back(std::string(evaluation_->graph->name(hiding.node)) + " (" + time_text(hiding.common_ms) +
                            ")");
        return enumerated(names);
    }

    /// What of a collective is neither exposed nor beside compute, such as while another one is awaited; empty where
    /// that is no more than a thousandth of it.
    static std::string stands_still_for_others(const CollectiveTiming& timing, std::span<const HidingNode> compute) {
        const double whole_ms = timing.end_ms - timing.start_ms;
        double rest_ms = whole_ms - timing.exposed_ms;
        for (const HidingNode& hiding : compute) rest_ms -= hiding.common_ms;
        if (rest_ms <= whole_ms / 1000) return {};
        return "; for " + time_text(rest_ms) + " of it compute stands still for something else";
    }

    const Graph& input_;
    const Evaluation* evaluation_;
    const ResolvedPlan* resolved_;  ///< null where there is no plan
    bool introduces_;
    std::span<const ResolvedStep> steps_;     ///< of the plan, as they were run
    const PassReport* step_ = nullptr;        ///< that made explanation_.bucket
    std::vector<const BucketReport*> later_;  ///< that take explanation_.bucket, one after the other
    CollectiveExplanation explanation_;
};

}  // namespace

CollectiveExplanation explain_collective(const Graph& input, NodeId node, const Evaluation* evaluation,
                                         Introduction introduction) {
    return Explainer(input, evaluation, introduction).of_input(node);
}

CollectiveExplanation explain_result(const Evaluation& evaluation, NodeId node, Introduction introduction) {
    return Explainer(*evaluation.input, &evaluation, introduction).of_result(node);
}

}  // namespace overlap
