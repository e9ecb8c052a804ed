#include "core/plan/memory_edits.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/graph/module_tree.h"

namespace overlap::edits {

namespace {

bool is_within_any(const std::string& module, const std::vector<std::string>& outer) {
    return std::ranges::any_of(outer, [&](const std::string& name) { return is_within(module, name); });
}

/// Whether a rule says anything of one of the modules; none are the whole model.
bool concerns(const MemoryRule& rule, const std::vector<std::string>& modules) {
    if (rule.modules.empty() || modules.empty()) return true;
    return std::ranges::any_of(rule.modules, [&](const std::string& named) {
        return is_within_any(named, modules) ||
               std::ranges::any_of(modules, [&](const std::string& module) { return is_within(module, named); });
    });
}

}  // namespace

Plan with_memory(Plan plan, MemorySection section) {
    plan.pipeline = with_memory_steps(std::move(plan.pipeline));
    for (PassStep& step : plan.pipeline) {
        if (!takes_memory_section(step.pass)) continue;
        step.enabled = true;
        for (const auto& [name, value] : memory_options(section, step.pass)) step.options.erase(name);
        step.options.erase("rules");
    }
    plan.memory = std::move(section);
    return plan;
}

Plan without_memory(Plan plan) {
    plan.memory.reset();
    return plan;
}

Plan without_memory_passes(Plan plan) {
    std::erase_if(plan.pipeline, carries_out_memory);
    return plan;
}

bool set_option(MemorySection& section, std::string_view option, const OptionValue& value) {
    const auto take = [&value](auto& field) {
        const auto* given = std::get_if<std::remove_reference_t<decltype(field)>>(&value);
        if (given) field = *given;
        return given != nullptr;
    };
    if (option == "memory_policy") return take(section.policy);
    if (option == "prefetch_lookahead") return take(section.prefetch_lookahead);
    if (option == "defer_n_layers") return take(section.defer_n_layers);
    if (option == "cpu_offload_budget_gb") {
        const auto* whole = std::get_if<std::int64_t>(&value);
        if (whole) section.cpu_offload_budget_gb = static_cast<double>(*whole);
        return whole || take(section.cpu_offload_budget_gb);
    }
    const auto* rules = std::get_if<std::string>(&value);
    if (option != "rules" || !rules) return false;
    section.rules = read_memory_rules(*rules);
    return true;
}

MemorySection memory_in_effect(const Plan& plan) {
    MemorySection section = plan.memory.value_or(MemorySection());
    for (const PassStep& step : plan.pipeline) {
        if (!carries_out_memory(step)) continue;
        for (const auto& [option, value] : step.options) set_option(section, option, value);
    }
    return section;
}

MemorySection put_modules(MemorySection section, MemoryAction action, const std::vector<std::string>& modules,
                          const std::vector<std::string>& operators) {
    std::vector<MemoryRule>& rules = section.rules;
    std::erase_if(rules, [&](MemoryRule& rule) {
        if (is_of_gathers(rule.action) != is_of_gathers(action) || rule.operators != operators) return false;
        if (modules.empty()) return true;
        const bool named_any = !rule.modules.empty();
        std::erase_if(rule.modules, [&](const std::string& module) { return is_within_any(module, modules); });
        return named_any && rule.modules.empty();
    });
    for (std::size_t index = rules.size(); index-- > 0;) {
        MemoryRule& rule = rules[index];
        const bool same = rule.action == action && rule.operators == operators && rule.extra.empty();
        if (same && !modules.empty() && !rule.modules.empty()) {
            rule.modules.insert(rule.modules.end(), modules.begin(), modules.end());
            return section;
        }
        if (is_of_gathers(rule.action) == is_of_gathers(action) && concerns(rule, modules)) break;
    }
    rules.push_back({action, modules, operators});
    return section;
}

MemorySection take_modules(MemorySection section, std::size_t rule, const std::vector<std::string>& modules) {
    if (rule >= section.rules.size()) return section;
    std::vector<std::string>& named = section.rules[rule].modules;
    const std::size_t before = named.size();
    std::erase_if(named, [&](const std::string& name) { return std::ranges::find(modules, name) != modules.end(); });
    if (before > 0 && named.empty()) return remove_rule(std::move(section), rule);
    return section;
}

MemorySection remove_rule(MemorySection section, std::size_t rule) {
    if (rule < section.rules.size()) section.rules.erase(section.rules.begin() + static_cast<std::ptrdiff_t>(rule));
    return section;
}

MemorySection move_rule(MemorySection section, std::size_t from, std::size_t to) {
    if (from >= section.rules.size() || to >= section.rules.size()) return section;
    MemoryRule moved = std::move(section.rules[from]);
    section.rules.erase(section.rules.begin() + static_cast<std::ptrdiff_t>(from));
    section.rules.insert(section.rules.begin() + static_cast<std::ptrdiff_t>(to), std::move(moved));
    return section;
}

}  // namespace overlap::edits
