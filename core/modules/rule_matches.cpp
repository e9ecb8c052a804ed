#include "core/modules/rule_matches.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "core/base/quote.h"
#include "core/graph/direction.h"
#include "core/modules/module_pattern.h"
#include "core/modules/parameter_names.h"
#include "core/modules/parameter_ways.h"
#include "core/modules/repetitions.h"
#include "core/modules/source_lines.h"

namespace overlap {

namespace {

using Kind = ModuleRule::Kind;

/// Rules about parameters, all of them together: which rule and which module each parameter has.
class ParameterRules {
  public:
    ParameterRules(const Graph& graph, const std::vector<ModuleRule>& rules) : graph_(graph), ways_(graph) {
        const auto named = parameter_names(graph);
        std::map<NodeId, std::string> documented;
        if (named) documented.insert(named->begin(), named->end());
        std::vector<std::pair<std::size_t, ModulePattern>> patterns;
        for (std::size_t rule = 0; rule < rules.size(); ++rule)
            if (rules[rule].kind == Kind::parameters) patterns.emplace_back(rule, ModulePattern(rules[rule].pattern));
        for (const NodeId root : ways_.roots()) {
            const auto document = documented.find(root);
            const std::array<std::string_view, 3> names = {
                document == documented.end() ? std::string_view() : document->second, graph.name(root),
                graph.target(root)};
            for (const auto& [rule, pattern] : patterns) {
                PatternParts parts;
                const bool fits = std::ranges::any_of(names, [&, &one = pattern](std::string_view name) {
                    return !name.empty() && one.matches(name, parts);
                });
                if (!fits) continue;
                modules_.emplace(root, std::pair(rule, fill_template(rules[rule].module, parts)));
                fitting_rules_.insert(rule);
                break;
            }
        }
    }

    void add_to(std::vector<RuleMatches>& matches) const {
        std::vector<bool> added(graph_.node_count(), false);
        for (NodeId node = 0; node < graph_.node_count(); ++node) add_use(node, matches, added);
        for (const auto& [root, match] : modules_) {
            for (const NodeId node : ways_.gradient_way(root)) {
                if (!added[node]) matches[match.first].nodes.emplace_back(node, match.second);
                added[node] = true;
            }
        }
    }

    /// Whether any parameter's name fits the rule, and no earlier one.
    bool fits_any(std::size_t rule) const { return fitting_rules_.contains(rule); }

  private:
    void add_use(NodeId node, std::vector<RuleMatches>& matches, std::vector<bool>& added) const {
        if (graph_.op(node) == NodeOp::output) return;
        const std::pair<std::size_t, std::string>* match = nullptr;
        for (const NodeId root : ways_.roots_of(node)) {
            const auto found = modules_.find(root);
            if (found == modules_.end()) continue;
            if (match && match->second != found->second.second) {
                matches[match->first].ambiguous += 1;
                return;
            }
            if (!match) match = &found->second;
        }
        if (!match) return;
        matches[match->first].nodes.emplace_back(node, match->second);
        added[node] = true;
    }

    const Graph& graph_;
    ParameterWays ways_;
    std::map<NodeId, std::pair<std::size_t, std::string>> modules_;  ///< by parameter: rule, and module's path
    std::set<std::size_t> fitting_rules_;
};

bool in_lines(const ModuleRule& rule, const ModulePattern& file, const SourceLine& frame) {
    PatternParts parts;
    return frame.line >= rule.first_line && (rule.last_line == 0 || frame.line <= rule.last_line) &&
           (rule.function.empty() || rule.function == frame.function) && file.matches(frame.file, parts);
}

RuleMatches match_source(const Graph& graph, const ModuleRule& rule, SourceLines& lines) {
    RuleMatches matches;
    const ModulePattern file(rule.file);
    const bool numbered = !template_parts(rule.module).empty();
    std::int64_t runs = 0, line_before = 0;
    bool any_source = false;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function) continue;
        // A backward node has its forward node's lines, in falling order: it follows by seq_nr.
        if (numbered && is_backward(graph, node)) continue;
        const std::vector<SourceLine>& frames = lines.frames(node);
        any_source |= !frames.empty();
        const auto frame =
            std::ranges::find_if(frames, [&](const SourceLine& one) { return in_lines(rule, file, one); });
        if (frame == frames.end()) continue;
        if (frame->line < line_before) ++runs;
        line_before = frame->line;
        matches.nodes.emplace_back(node, fill_template(rule.module, {{"n", std::to_string(runs)}}));
    }
    if (!any_source) matches.problem = "no node of the graph states file and line";
    return matches;
}

/// A node by its name; a missing one is reported.
NodeId named_node(const Graph& graph, const std::string& name, std::string& problem) {
    const NodeId node = graph.find(name);
    if (node == no_node && problem.empty()) problem = "there is no node " + in_quotes(shortened(name));
    return node;
}

RuleMatches match_repetition(const Graph& graph, const ModuleRule& rule, const std::vector<std::uint64_t>& kinds) {
    RuleMatches matches;
    const NodeId first = named_node(graph, rule.first, matches.problem);
    const NodeId last = named_node(graph, rule.last, matches.problem);
    if (first == no_node || last == no_node) return matches;
    if (last < first) {
        matches.problem = rule.last + " comes before " + rule.first;
        return matches;
    }
    const Repetition repetition{first, last - first + 1, rule.count};
    std::uint32_t alike = rule.count;
    if (const NodeId other = first_difference(kinds, repetition); other != no_node) {
        alike = (other - first) / repetition.period;
        matches.problem.assign("repetition ").append(std::to_string(alike + 1)).append(" of ");
        matches.problem.append(std::to_string(rule.count)).append(" is not like the first: ");
        if (other >= graph.node_count()) {
            matches.problem += "the graph ends before";
        } else {
            matches.problem.append(graph.name(other)).append(" is not like ");
            matches.problem.append(graph.name(other - repetition.period));
        }
    }
    for (std::uint32_t number = 0; number < alike; ++number) {
        const std::uint64_t shown = std::uint64_t{rule.begin} + (rule.backward ? rule.count - 1 - number : number);
        const std::string module = fill_template(rule.module, {{"n", std::to_string(shown)}});
        const NodeId begin = first + number * repetition.period;
        for (NodeId node = begin; node < begin + repetition.period; ++node)
            if (graph.op(node) == NodeOp::call_function) matches.nodes.emplace_back(node, module);
    }
    return matches;
}

RuleMatches match_names(const Graph& graph, const ModuleRule& rule) {
    RuleMatches matches;
    std::set<NodeId> known;
    for (const std::string& name : rule.nodes) {
        const NodeId node = named_node(graph, name, matches.problem);
        if (node != no_node && graph.op(node) != NodeOp::output && known.insert(node).second)
            matches.nodes.emplace_back(node, rule.module);
    }
    return matches;
}

}  // namespace

std::vector<RuleMatches> match_rules(const Graph& graph, const std::vector<ModuleRule>& rules,
                                     const std::stop_token& stop) {
    std::vector<RuleMatches> matches(rules.size());
    const auto has = [&](Kind kind) {
        return std::ranges::any_of(rules, [&](const ModuleRule& rule) { return rule.kind == kind; });
    };
    std::optional<ParameterRules> parameters;
    if (has(Kind::parameters)) {
        parameters.emplace(graph, rules);
        parameters->add_to(matches);
    }
    std::vector<std::uint64_t> kinds;
    if (has(Kind::repetition)) kinds = node_kinds(graph);
    SourceLines lines(graph);
    for (std::size_t index = 0; index < rules.size() && !stop.stop_requested(); ++index) {
        const ModuleRule& rule = rules[index];
        switch (rule.kind) {
            case Kind::parameters:
                if (!parameters->fits_any(index))
                    matches[index].problem = "no parameter has a name like " + in_quotes(shortened(rule.pattern));
                break;
            case Kind::source:
                matches[index] = match_source(graph, rule, lines);
                break;
            case Kind::repetition:
                matches[index] = match_repetition(graph, rule, kinds);
                break;
            case Kind::nodes:
                matches[index] = match_names(graph, rule);
                break;
            case Kind::neighbours:
                break;
        }
    }
    return matches;
}

}  // namespace overlap
