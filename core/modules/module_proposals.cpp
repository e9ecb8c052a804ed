#include "core/modules/module_proposals.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/wording.h"
#include "core/graph/direction.h"
#include "core/modules/module_repair.h"
#include "core/modules/parameter_proposals.h"
#include "core/modules/parameter_ways.h"
#include "core/modules/repetitions.h"
#include "core/modules/source_lines.h"
#include "core/passes/bucketing/eligibility.h"

namespace overlap {

namespace {

using Kind = ModuleRule::Kind;

/// What most models call their blocks.
constexpr std::string_view block_module = "layers.{n}";
/// Files and functions of fewer nodes are not worth a proposal.
constexpr std::size_t fewest_nodes_of_source = 4;
/// If more than one of so many parts of a repetition is left over beside the repetitions, a block was cut in two.
constexpr std::uint32_t left_over_share = 4;

/// A rule before it is known what it gives.
struct Suggestion {
    ModuleRule rule;
    std::string reason;
    bool is_doubtful = false;  ///< never recommended
};

/// Repetitions as rules: forward ones are counted up in the order of the graph, backward ones down.
class RepetitionRules {
  public:
    explicit RepetitionRules(const Graph& graph) : graph_(graph), ways_(graph), eligibility_(graph) {}

    std::vector<Suggestion> run() {
        std::vector<Repetition> found = find_repetitions(graph_);
        std::ranges::sort(found, {}, &Repetition::first);
        std::vector<Repetition> backward;
        std::uint32_t begin = 0;
        for (const Repetition& repetition : found) {
            if (runs_backward(repetition)) {
                backward.push_back(repetition);
                continue;
            }
            begin += repetition.whole_before ? 1 : 0;
            suggest(repetition, begin, false);
            remember_parameters(repetition, begin);
            begin += repetition.count + (repetition.whole_behind ? 1 : 0);
        }
        begin = 0;
        for (auto repetition = backward.rbegin(); repetition != backward.rend(); ++repetition) {
            begin += repetition->whole_behind ? 1 : 0;
            begin = begin_of_parameters(*repetition, begin);
            suggest(*repetition, begin, true);
            begin += repetition->count + (repetition->whole_before ? 1 : 0);
        }
        return std::move(suggestions_);
    }

  private:
    /// By what the graph says of its nodes; where it says nothing, what is scattered and returned is gradients.
    bool runs_backward(const Repetition& repetition) const {
        std::uint32_t backward = 0;
        bool scatters = false, told = false;
        for (NodeId node = repetition.first; node < repetition.end(); ++node) {
            const NodeMetadata& metadata = graph_.metadata(node);
            told |= metadata.autograd_backward.has_value() || metadata.partitioner_tag != empty_string;
            backward += is_backward(graph_, node) ? 1 : 0;
            scatters |=
                graph_.target_info(node).starts == CollectiveKind::reduce_scatter && eligibility_.eligible(node);
        }
        return told || backward > 0 ? 2 * backward > repetition.period * repetition.count : scatters;
    }

    /// The repetitions, and at both ends what is one more that differs a little.
    void suggest(const Repetition& repetition, std::uint32_t begin, bool backward) {
        const std::string left_over = left_over_beside(repetition);
        const std::string direction = backward ? "backward, " : "";
        const auto add = [&](NodeId first, NodeId end, std::uint32_t count, std::uint32_t number,
                             const std::string& reason) {
            ModuleRule rule;
            rule.kind = Kind::repetition;
            rule.module = block_module;
            rule.first = graph_.name(first);
            rule.last = graph_.name(end - 1);
            rule.count = count;
            rule.begin = number;
            rule.backward = backward;
            suggestions_.push_back({std::move(rule), reason + left_over, !left_over.empty()});
        };
        const std::uint32_t next = begin + repetition.count;
        if (repetition.whole_before)  // of forward ones, that one is counted in `begin`
            add(repetition.first - repetition.nearly_before, repetition.first, 1, backward ? next : begin - 1,
                direction + "one before equal nodes, from which it differs a little");
        add(repetition.first, repetition.first + repetition.period, repetition.count, begin,
            "equal nodes, " + direction + counted(repetition.count, "time"));
        if (repetition.whole_behind && (!backward || begin > 0))
            add(repetition.end(), repetition.end() + repetition.nearly_behind, 1, backward ? begin - 1 : next,
                direction + "one behind equal nodes, from which it differs a little");
    }

    /// What looks like parts of further repetitions, as a clause; empty where there is too little of it.
    std::string left_over_beside(const Repetition& repetition) const {
        std::vector<std::string> parts;
        const auto look = [&](NodeId first, std::uint32_t nodes, std::string_view where) {
            if (nodes * left_over_share <= repetition.period) return;
            std::string part = counted(nodes, "node");
            part.append(where).append(" (from ").append(graph_.name(first)).append(")");
            parts.push_back(std::move(part));
        };
        if (!repetition.whole_before)
            look(repetition.first - repetition.nearly_before, repetition.nearly_before, " before the first");
        if (!repetition.whole_behind) look(repetition.end(), repetition.nearly_behind, " behind the last");
        if (parts.empty()) return {};
        return "; not recommended: " + listed(parts) +
               " look like parts of one more, so blocks may begin at another node";
    }

    template <typename Visit>
    void for_each_root(const Repetition& repetition, Visit&& visit) const {
        for (NodeId node = repetition.first; node < repetition.end(); ++node)
            for (const NodeId root : ways_.roots_of(node)) visit((node - repetition.first) / repetition.period, root);
    }

    void remember_parameters(const Repetition& repetition, std::uint32_t begin) {
        for_each_root(repetition, [&](std::uint32_t number, NodeId root) {
            // What several blocks use does not identify them.
            const auto [known, added] = block_of_root_.try_emplace(root, begin + number);
            if (!added && known->second != begin + number) shared_.insert(root);
        });
    }

    /// The number with which a backward repetition ends, as most of its parameters have it; else `otherwise`.
    std::uint32_t begin_of_parameters(const Repetition& repetition, std::uint32_t otherwise) const {
        std::map<std::int64_t, std::uint32_t> votes;
        for_each_root(repetition, [&](std::uint32_t number, NodeId root) {
            const auto known = block_of_root_.find(root);
            if (known == block_of_root_.end() || shared_.contains(root)) return;
            ++votes[std::int64_t{known->second} + number + 1 - repetition.count];
        });
        const auto most = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
        return most == votes.end() || most->first < 0 ? otherwise : static_cast<std::uint32_t>(most->first);
    }

    const Graph& graph_;
    ParameterWays ways_;
    BucketingEligibility eligibility_;
    std::map<NodeId, std::uint32_t> block_of_root_;
    std::set<NodeId> shared_;
    std::vector<Suggestion> suggestions_;
};

/// The last component of a path of files without its ending.
std::string stem_of(std::string_view file) {
    file.remove_prefix(file.find_last_of("/\\") + 1);
    return std::string(file.substr(0, file.find('.')));
}

/// Rules for each function that nodes come from.
std::vector<Suggestion> source_rules(const Graph& graph) {
    struct Function {
        ModuleRule rule;
        std::size_t nodes = 0;
        std::int64_t line_before = 0;
        std::uint32_t runs = 1;
    };
    std::vector<Function> functions;
    std::map<std::pair<std::string, std::string>, std::size_t> numbers;
    SourceLines lines(graph);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function || is_backward(graph, node) || lines.frames(node).empty()) continue;
        const SourceLine& frame = lines.frames(node).front();
        const auto [known, added] = numbers.try_emplace({frame.file, frame.function}, functions.size());
        if (added) functions.emplace_back();
        Function& function = functions[known->second];
        ModuleRule& rule = function.rule;
        if (added) {
            rule.kind = Kind::source;
            rule.file = frame.file;
            rule.function = frame.function;
            rule.first_line = rule.last_line = frame.line;
        }
        rule.first_line = std::min(rule.first_line, frame.line);
        rule.last_line = std::max(rule.last_line, frame.line);
        function.runs += frame.line < function.line_before ? 1 : 0;
        function.line_before = frame.line;
        ++function.nodes;
    }
    std::vector<Suggestion> rules;
    for (Function& function : functions) {
        if (function.nodes < fewest_nodes_of_source) continue;
        const bool is_named = !function.rule.function.empty() && function.rule.function != "forward";
        function.rule.module = stem_of(function.rule.file);
        if (is_named) function.rule.module += "." + function.rule.function;
        if (function.runs > 1) function.rule.module += ".{n}";
        if (rule_error(function.rule).empty()) rules.push_back({std::move(function.rule), "file and line of nodes"});
    }
    return rules;
}

}  // namespace

std::vector<ModuleProposal> propose_module_rules(const std::shared_ptr<const Graph>& graph,
                                                 const std::stop_token& stop) {
    std::vector<ModuleProposal> proposals;
    const auto add = [&](std::vector<Suggestion> suggestions, bool recommended) {
        std::vector<ModuleRule> rules;
        for (const Suggestion& suggestion : suggestions) rules.push_back(suggestion.rule);
        const auto outcomes = repair_modules(graph, rules)->outcomes;
        bool any = false;
        for (std::size_t rule = 0; rule < rules.size(); ++rule) {
            if (outcomes[rule].nodes == 0) continue;
            Suggestion& suggestion = suggestions[rule];
            const bool is_recommended = recommended && !suggestion.is_doubtful;
            any |= is_recommended;
            proposals.push_back(
                {std::move(suggestion.rule), outcomes[rule].nodes, is_recommended, std::move(suggestion.reason)});
        }
        return any;
    };
    std::vector<Suggestion> of_names;
    for (ModuleRule& rule : parameter_rules(*graph)) of_names.push_back({std::move(rule), "names of parameters"});
    const bool named = add(std::move(of_names), true);
    if (stop.stop_requested()) return {};
    const bool repeated = add(RepetitionRules(*graph).run(), !named);
    if (stop.stop_requested()) return {};
    add(source_rules(*graph), false);
    if (stop.stop_requested()) return {};
    if (named || repeated) {
        std::vector<ModuleRule> rules = recommended_rules(proposals);
        ModuleRule neighbours;
        neighbours.kind = Kind::neighbours;
        rules.push_back(neighbours);
        const std::uint32_t nodes = repair_modules(graph, rules)->outcomes.back().nodes;
        if (nodes > 0) proposals.push_back({neighbours, nodes, true, "modules of the nodes around"});
    }
    return proposals;
}

std::vector<ModuleRule> recommended_rules(const std::vector<ModuleProposal>& proposals) {
    std::vector<ModuleRule> rules;
    for (const ModuleProposal& proposal : proposals)
        if (proposal.recommended) rules.push_back(proposal.rule);
    return rules;
}

}  // namespace overlap
