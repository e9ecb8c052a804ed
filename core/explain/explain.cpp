#include "core/explain/explain.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/cost/control_deps.h"
#include "core/explain/explain_bucketing.h"
#include "core/explain/explain_schedule.h"
#include "core/explain/explain_words.h"
#include "core/graph/collective_words.h"
#include "core/modules/home_module.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/passes/overlaps/directed_order.h"
#include "core/pipeline/why_exposed.h"
#include "core/simulate/hiding_compute.h"

namespace overlap {

namespace {

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
        const NodeId start = communicating_node(input_, node);
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
            for (std::string& sentence : why_not_bucketed(input_, start, evaluation_)) say(std::move(sentence));
        }
        if (evaluation_) tell_timing(evaluation_->graph->find(runs));
        tell_overlaps(runs);
        tell_schedule();
        return std::move(explanation_);
    }

    CollectiveExplanation of_result(NodeId node) {
        const Graph& graph = *evaluation_->graph;
        const NodeId origin = evaluation_->origin[node];
        if (origin != no_node && communicating_node(input_, origin) != no_node) return of_input(origin);
        NodeId start = communicating_node(graph, node);
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
        say(bucket.start + " is the " + collective_words(bucket.kind) + " that " + maker(*step_, bucket) +
            " makes of " + std::to_string(bucket.members.size()) +
            (bucket.members.size() == 1 ? " collective: " : " collectives: ") + enumerated(bucket.members) + "; " +
            "process group " + in_quotes(bucket.process_group) + ", " + bucket.dtype + ", " + bytes_text(bucket.bytes));
    }

    void introduce(const Graph& graph, NodeId start) {
        const std::shared_ptr<const ModuleTree> tree = modules_shown(graph);
        std::string module;
        if (tree->exists()) {
            const ModuleTree::ModuleId home = home_modules(*tree, graph.node_count())[start];
            if (home != ModuleTree::no_module) module = tree->path(home);
        }
        CollectiveKind kind = graph.target_info(start).starts;
        std::string_view name = graph.group_name(start);
        if (kind == CollectiveKind::none) {  // within control_deps: only the simulation knows what is inside
            const Simulation& simulation = evaluation_->simulation;
            const auto index = static_cast<std::size_t>(simulation.collective_of_node[start]);
            kind = simulation.collectives[index].kind;
            name = simulation.groups[simulation.collectives[index].group].process_group;
        }
        const ProcessGroup* group = graph.header().process_group(name);
        std::string sentence(graph.name(start));
        sentence += " is " + collective_with_article(kind) + " of " + bytes_text(collective_bytes(graph, start));
        if (!name.empty()) sentence += " on process group " + in_quotes(name);
        if (group) {
            sentence += " (" + std::to_string(group->ranks.size()) + " ranks" +
                        (group->description.empty() ? "" : ", " + group->description) + ")";
        }
        say(sentence + (module.empty() ? ", in no module" : ", of module " + module));
    }

    /// `entry 3 (layers.0) of manual_overlap_bucketing`; the pass alone where it chose the bucket itself.
    std::string maker(const PassReport& report, const BucketReport& bucket) const {
        return bucket.plan_entry ? entry_words(*evaluation_, steps_, report, *bucket.plan_entry) + " of " + report.pass
                                 : report.pass;
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
            if (member == no_node || communicating_node(input_, member) != member) continue;
            const std::string reason = what_separates(input_, start, step_->pass, *explanation_.bucket, other, member);
            if (!reason.empty()) say("Not with " + enumerated(other.members) + " of the same entry: " + reason);
        }
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
            OverlapDirective directive = resolved_->plan.overlaps.list[index];
            if (outcome.holds()) {
                // It may name what this was called in an earlier plan, or one that it was made of.
                directive.collective = explanation_.collective;
                say(describe(directive) + ", because you asked for it");
            } else {
                say("You asked that " + describe(directive) + ", which is left out: " + outcome.refusal);
            }
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
