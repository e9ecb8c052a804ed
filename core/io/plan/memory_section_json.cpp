#include "core/io/plan/memory_section_json.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/io/plan/plan_json.h"
#include "core/passes/registry/registry.h"
#include "core/plan/plan.h"

namespace overlap {

namespace {

const std::string above = "memory.";

std::vector<std::string> action_names() {
    std::vector<std::string> names;
    for (const MemoryAction action : memory_actions) names.emplace_back(memory_action_name(action));
    return names;
}

/// A name or a list of names. Abbreviations stand for all that they mean.
std::vector<std::string> read_modules(const Json& value, const std::string& place, ExpansionBounds& bounds) {
    const Json list = value.is_string() ? Json::array({value}) : value;
    if (!list.is_array()) fail_type(place, value, "a module path or a list of them");
    std::vector<std::string> modules;
    for (std::size_t index = 0; index < list.size(); ++index) {
        const std::string item = value.is_string() ? place : item_place(place, index);
        if (!list[index].is_string()) fail_type(item, list[index], "a module path");
        try {
            for (BucketEntry& entry : parse_bucket_entries(list[index].get<std::string>(), bounds))
                std::ranges::move(entry.modules, std::back_inserter(modules));
        } catch (const InputError& error) {
            throw InputError(item, error.place().empty() ? error.problem() : error.place() + ": " + error.problem());
        }
    }
    if (modules.empty()) throw InputError(place, "is empty; leave it out for the whole model");
    return modules;
}

std::vector<std::string> read_operators(const Json& value, const std::string& place) {
    const Json list = value.is_string() ? Json::array({value}) : value;
    if (!list.is_array()) fail_type(place, value, "an operator or a list of them");
    std::vector<std::string> operators;
    for (std::size_t index = 0; index < list.size(); ++index) {
        if (!list[index].is_string()) fail_type(item_place(place, index), list[index], "an operator");
        operators.push_back(list[index].get<std::string>());
    }
    if (operators.empty()) throw InputError(place, "is empty; leave it out for all operators");
    return operators;
}

MemoryRule read_rule(const Json& json, const std::string& place, ExpansionBounds& bounds) {
    if (!json.is_object()) fail_type(place, json, "an object with action");
    if (!json.contains("action")) throw InputError(place, "has no action");
    const std::string name = read_string(json, "action", place + ".");
    const std::optional<MemoryAction> action = memory_action_by_name(name);
    if (!action) {
        throw InputError(place + ".action",
                         "there is no action " + in_quotes(name) + suggest_names(name, action_names()));
    }
    MemoryRule rule{*action, {}, {}};
    for (const auto& [key, value] : json.items()) {
        if (key == "modules") {
            rule.modules = read_modules(value, place + ".modules", bounds);
        } else if (key == "operators") {
            rule.operators = read_operators(value, place + ".operators");
        } else if (key != "action") {
            rule.extra.emplace_back(key, value.dump());
        }
    }
    if (const std::string error = memory_rule_error(rule); !error.empty()) throw InputError(place, error);
    return rule;
}

std::vector<MemoryRule> read_rules(const Json& json) {
    if (!json.is_array()) fail_type(above + "rules", json, "a list");
    ExpansionBounds bounds;
    std::vector<MemoryRule> rules;
    for (std::size_t index = 0; index < json.size(); ++index)
        rules.push_back(read_rule(json[index], item_place(above + "rules", index), bounds));
    return rules;
}

double read_number(const Json& value, const std::string& key) {
    if (!value.is_number()) fail_type(above + key, value, "a number");
    return value.get<double>();
}

std::int64_t read_layers(const Json& value, const std::string& key) {
    if (!value.is_number_integer()) fail_type(above + key, value, "a whole number of layers");
    return value.get<std::int64_t>();
}

/// What the passes that get the section's values say of them.
void check_values(const MemorySection& section) {
    for (const std::string_view name : {memory_tag_pass, memory_offload_pass}) {
        const Pass& pass = require_pass(name);
        for (const auto& [option, value] : memory_options(section, name)) {
            const std::string field = option == "memory_policy" ? "policy" : option;
            check_option_value(require_option(pass, option), above + field, value);
        }
    }
}

Json number_json(double number) {
    const bool whole = number == std::trunc(number) && std::abs(number) < 1e15;
    return whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
}

Json rule_json(const MemoryRule& rule) {
    Json json = {{"action", memory_action_name(rule.action)}};
    if (!rule.modules.empty()) {
        json["modules"] = Json::array();
        for (const std::string& module : rule.modules) json["modules"].push_back(typed_name(module));
    }
    if (!rule.operators.empty()) json["operators"] = rule.operators;
    add_unknown_fields(json, rule.extra);
    return json;
}

}  // namespace

MemorySection read_memory_section(const Json& json) {
    if (!json.is_object()) fail_type("memory", json, "an object with policy and rules");
    MemorySection section;
    for (const auto& [key, value] : json.items()) {
        if (key == "policy") {
            section.policy = read_string(json, key, above);
        } else if (key == "rules") {
            section.rules = read_rules(value);
        } else if (key == "cpu_offload_budget_gb") {
            section.cpu_offload_budget_gb = read_number(value, key);
        } else if (key == "prefetch_lookahead") {
            section.prefetch_lookahead = read_layers(value, key);
        } else if (key == "defer_n_layers") {
            section.defer_n_layers = read_layers(value, key);
        } else {
            section.extra.emplace_back(key, value.dump());
        }
    }
    check_values(section);
    return section;
}

Json memory_section_json(const MemorySection& section) {
    Json json = {{"policy", section.policy}, {"rules", Json::array()}};
    for (const MemoryRule& rule : section.rules) json["rules"].push_back(rule_json(rule));
    json["cpu_offload_budget_gb"] = number_json(section.cpu_offload_budget_gb);
    json["prefetch_lookahead"] = section.prefetch_lookahead;
    json["defer_n_layers"] = section.defer_n_layers;
    add_unknown_fields(json, section.extra);
    return json;
}

}  // namespace overlap
