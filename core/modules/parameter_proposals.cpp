#include "core/modules/parameter_proposals.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "core/modules/parameter_names.h"

namespace overlap {

namespace {

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// Names of parts for the numbers of a path, outermost first.
std::string part_of_number(std::size_t index) {
    constexpr std::array<std::string_view, 3> names = {"n", "m", "k"};
    if (index < names.size()) return std::string(names[index]);
    std::string name(1, 'n');
    name += std::to_string(index);
    return name;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> pieces;
    while (true) {
        const std::size_t at = text.find(separator);
        pieces.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return pieces;
        text.remove_prefix(at + separator.size());
    }
}

/// Writes a rule piece by piece: what is in its pattern and what is in its module.
class RuleWriter {
  public:
    explicit RuleWriter(std::string pattern) { rule_.pattern = std::move(pattern); }

    /// A component of the path. @param separator what stands before it in the pattern, unless it is the first one.
    void component(std::string_view name, std::string_view separator) {
        std::string written;
        if (is_number(name)) {
            written += '{';
            written += part_of_number(numbers_++);
            written += '}';
        } else {
            written = name;
        }
        if (!rule_.module.empty()) {
            rule_.pattern += separator;
            rule_.module += '.';
        }
        rule_.pattern += written;
        rule_.module += written;
    }

    ModuleRule finish(std::string_view end) {
        if (rule_.module.empty()) return {};
        rule_.pattern += end;
        return std::move(rule_);
    }

  private:
    ModuleRule rule_;
    std::size_t numbers_ = 0;
};

ModuleRule rule_of_path(std::string_view name) {
    std::vector<std::string_view> components = split(name, ".");
    components.pop_back();
    if (std::ranges::any_of(components, [](std::string_view one) { return one.empty(); })) return {};
    RuleWriter rule("");
    for (const std::string_view component : components) rule.component(component, ".");
    return rule.finish(".*");
}

/// `L_self_modules_layers_modules_0_modules_wq_parameters_weight_`, whose path torch.dynamo has spelt out.
ModuleRule rule_of_dynamo_name(std::string_view name, std::string_view begin) {
    name.remove_prefix(begin.size());
    for (const std::string_view end : {"_parameters_", "_buffers_"}) {
        const std::size_t at = name.find(end);
        if (at == std::string_view::npos) continue;
        RuleWriter rule{std::string(begin)};
        for (const std::string_view component : split(name.substr(0, at), "_modules_"))
            rule.component(component, "_modules_");
        return rule.finish(std::string(end) + "*");
    }
    return {};
}

/// `p_layers_0_attention_wq_weight`: only around numbers it is clear where a component ends.
ModuleRule rule_of_flat_name(std::string_view name) {
    std::string begin;
    for (const std::string_view prefix : {"primals_", "p_", "self_"}) {
        if (!name.starts_with(prefix)) continue;
        begin = prefix;
        name.remove_prefix(prefix.size());
        break;
    }
    const auto is_parameter = [&](std::string_view kind) { return name.ends_with(kind); };
    constexpr std::array<std::string_view, 2> kinds = {"_weight", "_bias"};
    const auto kind = std::ranges::find_if(kinds, is_parameter);
    if (kind == kinds.end()) return {};
    name.remove_suffix(kind->size());
    RuleWriter rule(begin);
    std::string component;
    bool any_number = false;
    for (const std::string_view word : split(name, "_")) {
        if (is_number(word) && !component.empty()) {
            rule.component(component, "_");
            rule.component(word, "_");
            component.clear();
            any_number = true;
        } else {
            if (!component.empty()) component += '_';
            component += word;
        }
    }
    if (!component.empty()) rule.component(component, "_");
    return any_number || !begin.empty() ? rule.finish("_*") : ModuleRule();
}

}  // namespace

ModuleRule rule_of_parameter_name(std::string_view name) {
    constexpr std::string_view dynamo = "L_self_modules_";
    const auto is_special = [](char letter) { return letter == '{' || letter == '}' || letter == '*'; };
    if (std::ranges::any_of(name, is_special)) return {};
    if (name.starts_with(dynamo)) return rule_of_dynamo_name(name, dynamo);
    return name.find('.') != std::string_view::npos ? rule_of_path(name) : rule_of_flat_name(name);
}

std::vector<ModuleRule> parameter_rules(const Graph& graph) {
    std::map<NodeId, std::string> documented;
    if (const auto named = parameter_names(graph)) documented.insert(named->begin(), named->end());
    std::vector<ModuleRule> rules;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::placeholder && graph.op(node) != NodeOp::get_attr) continue;
        const auto known = documented.find(node);
        const std::string_view name = known != documented.end()            ? std::string_view(known->second)
                                      : graph.op(node) == NodeOp::get_attr ? graph.target(node)
                                                                           : graph.name(node);
        ModuleRule rule = rule_of_parameter_name(name);
        if (!rule.pattern.empty() && std::ranges::find(rules, rule) == rules.end()) rules.push_back(std::move(rule));
    }
    return rules;
}

}  // namespace overlap
