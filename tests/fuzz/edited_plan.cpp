#include "tests/fuzz/edited_plan.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/io/plan/module_rules_json.h"
#include "core/io/plan/plan_file.h"
#include "core/passes/registry/registry.h"
#include "tests/fuzz/edited_graph.h"

namespace overlap::fuzz {
namespace {

OptionValue chosen_number(const PassOption& option, Choices& choices) {
    static const std::vector<OptionValue> numbers = {std::int64_t{0},
                                                     std::int64_t{1},
                                                     std::int64_t{2},
                                                     std::int64_t{3},
                                                     std::int64_t{-1},
                                                     0.5,
                                                     1e9,
                                                     1e300,
                                                     -0.25,
                                                     std::numeric_limits<std::int64_t>::max()};
    switch (choices.below(4)) {
        case 0:
            return option.minimum > -1e18 ? static_cast<std::int64_t>(option.minimum) : std::int64_t{0};
        case 1:
            // A large maximum, such as that of layers, takes memory that no input's size accounts for.
            return option.maximum < 1e18 ? std::min(static_cast<std::int64_t>(option.maximum), std::int64_t{1 << 10})
                                         : std::int64_t{1 << 20};
        default:
            return choices.one_of(numbers);
    }
}

std::int64_t chosen_integer(Choices& choices) {
    static const std::vector<std::int64_t> numbers = {0, 1, 2, 3, -1, std::numeric_limits<std::int64_t>::max()};
    return choices.one_of(numbers);
}

OptionValue chosen_value(const PassOption& option, const Graph& graph, Choices& choices) {
    switch (option.type) {
        case PassOption::Type::boolean:
            return choices.one_in(2);
        case PassOption::Type::text:
            return option.choices.empty() ? std::string(choices.one_in(2) ? "0" : "") : choices.one_of(option.choices);
        case PassOption::Type::module_lists: {
            ModuleLists lists;
            for (std::size_t left = choices.below(4); left > 0; --left) lists.push_back({module_names(graph, choices)});
            return lists;
        }
        case PassOption::Type::module_order: {
            NamedIntegers order;
            for (const std::string& name : module_names(graph, choices))
                order.emplace_back(name, static_cast<std::int64_t>(choices.below(5)));
            return order;
        }
        case PassOption::Type::integer_list:
            return IntegerList{chosen_integer(choices), chosen_integer(choices)};
        case PassOption::Type::integer_map:
            return NamedIntegers{{std::to_string(choices.below(4)), chosen_integer(choices)}};
        case PassOption::Type::integer:
        case PassOption::Type::number:
            return choices.one_in(8) ? OptionValue() : chosen_number(option, choices);
    }
    return {};
}

std::string chosen_node(const Graph& graph, Choices& choices) {
    if (graph.node_count() == 0 || choices.one_in(16)) return "no_such_node";
    return std::string(graph.name(static_cast<NodeId>(choices.below(graph.node_count()))));
}

OverlapDirective chosen_directive(const Graph& graph, Choices& choices) {
    OverlapDirective directive;
    directive.collective = chosen_node(graph, choices);
    switch (choices.below(4)) {
        case 0:
            directive.start_after = chosen_node(graph, choices);
            break;
        case 1:
            directive.start_before = chosen_node(graph, choices);
            break;
        case 2:
            if (const auto names = module_names(graph, choices); !names.empty()) directive.hide_behind = names.front();
            break;
        default:
            break;
    }
    if (choices.one_in(2)) directive.wait_after = chosen_node(graph, choices);
    return directive;
}

ModuleRule chosen_rule(const Graph& graph, Choices& choices) {
    static const std::vector<std::string> modules = {"layers.{n}", "layers.{n}.{part*}", "norm", "{", "a"};
    static const std::vector<std::string> patterns = {"arg{n}_1", "primals_{n}", "*", "layers.{n}.{part*}.weight", "{"};
    ModuleRule rule;
    rule.kind = static_cast<ModuleRule::Kind>(choices.below(5));
    rule.module = choices.one_of(modules);
    rule.pattern = choices.one_of(patterns);
    rule.file = "*";
    rule.first_line = static_cast<std::int64_t>(choices.below(9));
    rule.last_line = static_cast<std::int64_t>(choices.below(9));
    rule.first = chosen_node(graph, choices);
    rule.last = chosen_node(graph, choices);
    rule.count = static_cast<std::uint32_t>(choices.below(6));
    rule.backward = choices.one_in(2);
    rule.nodes = {chosen_node(graph, choices)};
    rule.override_own = choices.one_in(2);
    return rule;
}

}  // namespace

PassStep chosen_step(const Graph& graph, Choices& choices) {
    const Pass& pass = *choices.one_of(all_passes());
    PassStep step;
    step.pass = pass.name();
    for (const PassOption& option : pass.options()) {
        if (option.required || choices.one_in(3)) step.options[option.name] = chosen_value(option, graph, choices);
    }
    return step;
}

Plan chosen_plan(const Graph& graph, Choices& choices) {
    Plan plan = make_plan(graph, "chosen");
    if (choices.one_in(4)) plan.graph.reset();
    for (std::size_t left = choices.below(4); left > 0; --left) {
        plan.buckets.push_back({.modules = module_names(graph, choices), .written_as_list = choices.one_in(2)});
    }
    for (std::size_t left = choices.below(3); left > 0; --left) {
        plan.pipeline.push_back(chosen_step(graph, choices));
        plan.pipeline.back().enabled = !choices.one_in(8);
        check_options(require_pass(plan.pipeline.back().pass), plan.pipeline.back().options);
    }
    for (std::size_t left = choices.below(3); left > 0; --left) {
        plan.overlaps.list.push_back(chosen_directive(graph, choices));
    }
    plan.overlaps.keep_group_order = !choices.one_in(2);
    plan.overlaps.insert_overlap_deps = choices.one_in(4);
    for (std::size_t left = choices.below(3); left > 0; --left) {
        plan.module_rules.push_back(chosen_rule(graph, choices));
    }
    // The whole text takes longer than most plans take to work out. Options and rules that it may not have are refused
    // in any case.
    if (choices.by_lot(5)) return read_plan_text(write_plan_text(plan), "chosen");
    if (!plan.module_rules.empty()) plan.module_rules = read_module_rules(module_rules_json(plan.module_rules));
    return plan;
}

}  // namespace overlap::fuzz
