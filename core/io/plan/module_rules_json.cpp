#include "core/io/plan/module_rules_json.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/io/plan/plan_json.h"

namespace overlap {

namespace {

/// Reads the members of one rule; unknown ones are kept in ModuleRule::extra.
class RuleReader {
  public:
    RuleReader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

    ModuleRule read() {
        if (!json_.is_object()) fail_type(place_, json_, "an object with kind and module");
        const std::string kind = text("kind");
        const std::span<const std::string_view> kind_names = rule_kind_names();
        const auto known = std::ranges::find(kind_names, kind);
        if (known == kind_names.end()) {
            throw InputError(place_ + ".kind",
                             "there is no kind " + in_quotes(kind) +
                                 suggest_names(kind, std::vector<std::string>(kind_names.begin(), kind_names.end())));
        }
        ModuleRule rule;
        rule.kind = static_cast<ModuleRule::Kind>(known - kind_names.begin());
        rule.module = text("module");
        rule.pattern = text("pattern");
        rule.file = text("file");
        rule.function = text("function");
        rule.first = text("first");
        rule.last = text("last");
        rule.first_line = number("first_line");
        rule.last_line = number("last_line");
        rule.count = static_cast<std::uint32_t>(number("count"));
        rule.begin = static_cast<std::uint32_t>(number("begin"));
        rule.backward = flag("backward");
        rule.override_own = flag("override");
        rule.nodes = names("nodes");
        for (const auto& [key, value] : json_.items())
            if (std::ranges::find(known_, key) == known_.end()) rule.extra.emplace_back(key, value.dump());
        if (const std::string error = rule_error(rule); !error.empty()) throw InputError(place_, error);
        return rule;
    }

  private:
    const Json* member(const std::string& key) {
        known_.push_back(key);
        const auto found = json_.find(key);
        return found == json_.end() ? nullptr : &*found;
    }

    std::string text(const std::string& key) {
        const Json* value = member(key);
        if (!value) return {};
        if (!value->is_string()) fail_type(place_ + "." + key, *value, "a string");
        return value->get<std::string>();
    }

    std::int64_t number(const std::string& key) {
        const Json* value = member(key);
        if (!value) return 0;
        constexpr auto most = static_cast<double>(std::numeric_limits<std::uint32_t>::max());
        if (!value->is_number_integer() || value->get<double>() < 0 || value->get<double>() > most)
            fail_type(place_ + "." + key, *value, "a whole number");
        return value->get<std::int64_t>();
    }

    bool flag(const std::string& key) {
        const Json* value = member(key);
        if (!value) return false;
        if (!value->is_boolean()) fail_type(place_ + "." + key, *value, "true or false");
        return value->get<bool>();
    }

    std::vector<std::string> names(const std::string& key) {
        const Json* value = member(key);
        std::vector<std::string> read;
        if (!value) return read;
        if (!value->is_array()) fail_type(place_ + "." + key, *value, "a list of nodes");
        for (const Json& item : *value) {
            if (!item.is_string()) fail_type(place_ + "." + key, item, "the name of a node");
            read.push_back(item.get<std::string>());
        }
        return read;
    }

    const Json& json_;
    std::string place_;
    std::vector<std::string> known_;
};

Json written(const ModuleRule& rule) {
    Json json = {{"kind", rule_kind_name(rule.kind)}};
    const auto put = [&](const char* key, const auto& value, bool is_given) {
        if (is_given) json[key] = value;
    };
    put("module", rule.module, !rule.module.empty());
    put("pattern", rule.pattern, !rule.pattern.empty());
    put("file", rule.file, !rule.file.empty());
    put("first_line", rule.first_line, rule.first_line != 0);
    put("last_line", rule.last_line, rule.last_line != 0);
    put("function", rule.function, !rule.function.empty());
    put("first", rule.first, !rule.first.empty());
    put("last", rule.last, !rule.last.empty());
    put("count", rule.count, rule.count != 0);
    put("begin", rule.begin, rule.begin != 0);
    put("backward", true, rule.backward);
    put("nodes", rule.nodes, !rule.nodes.empty());
    put("override", true, rule.override_own);
    add_unknown_fields(json, rule.extra);
    return json;
}

}  // namespace

std::vector<ModuleRule> read_module_rules(const Json& json) {
    if (!json.is_array()) fail_type("module_rules", json, "a list");
    std::vector<ModuleRule> rules;
    for (std::size_t index = 0; index < json.size(); ++index)
        rules.push_back(RuleReader(json[index], "module_rules[" + std::to_string(index) + "]").read());
    return rules;
}

Json module_rules_json(const std::vector<ModuleRule>& rules) {
    Json list = Json::array();
    for (const ModuleRule& rule : rules) list.push_back(written(rule));
    return list;
}

}  // namespace overlap
