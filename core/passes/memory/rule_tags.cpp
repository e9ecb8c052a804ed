#include "core/passes/memory/rule_tags.h"

#include <algorithm>
#include <string>

#include "core/base/wording.h"
#include "core/passes/memory/gathered_values.h"
#include "core/passes/memory/layers.h"
#include "core/passes/memory/memory_rule_matches.h"
#include "core/passes/memory/offload_candidates.h"

namespace overlap::memory {

namespace {

constexpr std::int32_t no_rule = -1;
/// Nodes that a message names; the rest are counted.
constexpr std::size_t named_nodes = 4;

/// What became of one rule.
struct Outcome {
    std::size_t matched = 0;  ///< nodes that it names
    std::size_t decided = 0;  ///< of these, those that no later rule names
    std::size_t tagged = 0;
    std::int32_t winner = no_rule;  ///< the last rule that decides one of its nodes instead
    std::vector<NodeId> impossible;
};

class RuleTagger {
  public:
    RuleTagger(const Graph& graph, const MemoryOperators& operators, const std::vector<MemoryRule>& rules,
               std::span<const RecomputeTag> policy, std::string_view pass)
        : graph_(graph),
          operators_(operators),
          rules_(rules),
          policy_(policy),
          roles_(gather_roles(graph, pass)),
          matches_(graph, rules),
          offloadable_(graph, operators),
          rule_of_(graph.node_count(), no_rule),
          outcomes_(rules.size()) {
        result_.tags.resize(graph.node_count(), RecomputeTag::none);
        result_.decided.resize(graph.node_count());
    }

    RuleTags run() {
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const NodeRecord& record = graph_.record(node);
            const NodeMetadata& metadata = graph_.metadata(node);
            if (record.op != NodeOp::call_function || is_backward(metadata)) continue;
            if (is_behind_layers(graph_.text(metadata.module_fqn))) continue;
            rule_of_[node] = find_rule(node, record);
            if (rule_of_[node] != no_rule) tag(node);
        }
        for (std::size_t rule = 0; rule < rules_.size(); ++rule) report(rule);
        return std::move(result_);
    }

  private:
    /// The last rule that names a node; counts it for all that do.
    std::int32_t find_rule(NodeId node, const NodeRecord& record) {
        const GatherRole role = roles_[node];
        if (role == GatherRole::view) return no_rule;
        if (role == GatherRole::none &&
            operators_.has(record, MemoryOperators::getitem | MemoryOperators::awaits_collective)) {
            const Value* parent = graph_.argument(node, 0);
            return parent && parent->is(ValueKind::node) ? rule_of_[parent->node] : no_rule;
        }
        std::int32_t winner = no_rule;
        for (std::size_t index = rules_.size(); index-- > 0;) {
            const MemoryAction action = rules_[index].action;
            if (is_of_gathers(action) != (role != GatherRole::none)) continue;
            if (action == MemoryAction::keep && role == GatherRole::chain) continue;
            if (!matches_.has(index, node)) continue;
            ++outcomes_[index].matched;
            if (winner == no_rule) {
                winner = static_cast<std::int32_t>(index);
                ++outcomes_[index].decided;
            } else {
                outcomes_[index].winner = std::max(outcomes_[index].winner, winner);
            }
        }
        return winner;
    }

    void tag(NodeId node) {
        const auto index = static_cast<std::size_t>(rule_of_[node]);
        const RecomputeTag tag = tag_of(node, rules_[index], outcomes_[index]);
        result_.decided[node] = 1;
        if (tag == RecomputeTag::none) return;
        result_.tags[node] = tag;
        ++outcomes_[index].tagged;
        ++result_.nodes;
    }

    RecomputeTag tag_of(NodeId node, const MemoryRule& rule, Outcome& outcome) {
        switch (rule.action) {
            case MemoryAction::save:
            case MemoryAction::keep:
                return RecomputeTag::must_save;
            case MemoryAction::reshard:
                return RecomputeTag::prefer_recompute;
            case MemoryAction::recompute:
                if (!is_random(node)) return RecomputeTag::must_recompute;
                outcome.impossible.push_back(node);
                return RecomputeTag::none;
            case MemoryAction::offload:
                break;
        }
        if (rule.operators.empty() && policy_[node] != RecomputeTag::must_save) return RecomputeTag::none;
        const std::int64_t bytes = offloadable_.bytes(node);
        if (bytes == 0) {
            if (!rule.operators.empty() && !has_parts(node)) outcome.impossible.push_back(node);
            return RecomputeTag::none;
        }
        result_.offloaded_bytes += bytes;
        return RecomputeTag::must_cpu_offload;
    }

    bool is_random(NodeId node) const {
        return operators_.has(graph_.record(node), MemoryOperators::seeded) && draws_random_numbers(graph_, node);
    }

    /// Whether what a node returns is taken apart by later nodes, which are offloaded instead of it.
    bool has_parts(NodeId node) const {
        return std::ranges::any_of(graph_.users(node), [&](NodeId user) {
            return operators_.has(graph_.record(user), MemoryOperators::getitem | MemoryOperators::awaits_collective);
        });
    }

    void add(std::size_t rule, ProblemKind kind, std::string title, const std::string& message,
             const std::vector<NodeId>& nodes = {}) {
        Problem problem;
        problem.severity = Severity::caution;
        problem.kind = kind;
        problem.title = std::move(title);
        problem.message =
            "memory rule " + std::to_string(rule + 1) + " (" + memory_rule_text(rules_[rule]) + "): " + message;
        for (std::size_t index = 0; index < std::min(named_nodes, nodes.size()); ++index)
            problem.nodes.emplace_back(graph_.name(nodes[index]));
        problem.memory_rule = static_cast<int>(rule);
        result_.problems.push_back(std::move(problem));
    }

    void report(std::size_t index) {
        const MemoryRule& rule = rules_[index];
        const Outcome& outcome = outcomes_[index];
        const std::size_t before = result_.problems.size();
        for (const std::string& message : matches_.unmatched(index))
            add(index, ProblemKind::memory_rule_unmatched, "Memory rule matches nothing", message);
        if (result_.problems.size() == before && outcome.matched == 0) {
            add(index, ProblemKind::memory_rule_unmatched, "Memory rule matches nothing",
                is_of_gathers(rule.action)
                    ? "no parameter is gathered there for the forward pass of the layers and what comes before them"
                    : "nothing is computed there in the forward pass of the layers and what comes before them");
        } else if (outcome.matched > 0 && outcome.decided == 0) {
            add(index, ProblemKind::memory_rule_void, "Memory rule is void",
                "it changes nothing, since later rules name all that it names; the last of them is rule " +
                    std::to_string(outcome.winner + 1));
        }
        const auto& impossible = outcome.impossible;
        if (rule.action == MemoryAction::recompute && !impossible.empty()) {
            add(index, ProblemKind::not_recomputable, "Cannot be recomputed",
                counted(impossible.size(), "node") +
                    " draw random numbers, so that computing again would give other values; they stay as the "
                    "policy has them",
                impossible);
        } else if (rule.action == MemoryAction::offload && !impossible.empty()) {
            add(index, ProblemKind::not_offloadable, "Cannot be offloaded",
                counted(impossible.size(), "node") + " of these operators return no contiguous tensor of " +
                    std::to_string(smallest_offload) +
                    " bytes or more, or a view or a collective's result; they stay as the policy has them",
                impossible);
        } else if (rule.action == MemoryAction::offload && outcome.decided > 0 && outcome.tagged == 0) {
            add(index, ProblemKind::not_offloadable, "Cannot be offloaded",
                "the policy saves nothing there that could be offloaded; name operators to offload what it would "
                "compute again");
        }
    }

    const Graph& graph_;
    const MemoryOperators& operators_;
    const std::vector<MemoryRule>& rules_;
    std::span<const RecomputeTag> policy_;
    std::vector<GatherRole> roles_;
    RuleMatches matches_;
    OffloadableTensors offloadable_;
    std::vector<std::int32_t> rule_of_;
    std::vector<Outcome> outcomes_;
    RuleTags result_;
};

}  // namespace

bool is_behind_layers(std::string_view module) {
    return module.starts_with("lm_head") || module.starts_with("loss");
}

RuleTags tags_by_rules(const Graph& graph, const MemoryOperators& operators, const std::vector<MemoryRule>& rules,
                       std::span<const RecomputeTag> policy, std::string_view pass) {
    return RuleTagger(graph, operators, rules, policy, pass).run();
}

}  // namespace overlap::memory
