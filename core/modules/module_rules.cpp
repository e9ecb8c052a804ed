#include "core/modules/module_rules.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/modules/module_pattern.h"
#include "core/passes/describe_json.h"

namespace overlap {

namespace {

using Kind = ModuleRule::Kind;

constexpr std::array<std::string_view, 5> kind_names = {"parameters", "source", "repetition", "nodes", "neighbours"};

[[noreturn]] void fail_type(const std::string& place, const Json& found, const std::string& expected) {
    throw InputError(place, "found " + describe_json(found) + ", expected " + expected);
}

/// Reads the members of one rule; what it does not know goes to ModuleRule::extra.
class RuleReader {
  public:
    RuleReader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

    ModuleRule read() {
        if (!json_.is_object()) fail_type(place_, json_, "an object with kind and module");
        const std::string kind = text("kind");
        const auto known = std::ranges::find(kind_names, kind);
        if (known == kind_names.end()) {
            throw InputError(place_ + ".kind",
                             "there is no kind " + in_quotes(kind) +
                                 suggest_names(kind, std::vector<std::string>(kind_names.begin(), kind_names.end())));
        }
        ModuleRule rule;
        rule.kind = static_cast<Kind>(known - kind_names.begin());
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
            if (std::ranges::find(known_, key) == known_.end()) rule.extra[key] = value;
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
    json.update(rule.extra);
    return json;
}

/// What is wrong with the parts of a rule's template, given those that its kind provides.
std::string part_error(const ModuleRule& rule, const std::vector<std::string>& given) {
    for (const std::string& part : template_parts(rule.module)) {
        if (std::ranges::find(given, part) != given.end()) continue;
        return "module " + in_quotes(rule.module) + " has the part {" + part + "}, which " +
               (given.empty() ? "nothing gives" : "its rule does not give; it gives {" + given.front() + "}");
    }
    return {};
}

bool is_path(std::string_view module) {
    return !module.empty() && module.front() != '.' && module.back() != '.' &&
           module.find("..") == std::string_view::npos;
}

std::string lines_text(const ModuleRule& rule) {
    if (rule.first_line == 0 && rule.last_line == 0) return {};
    std::string text(1, ':');
    text += std::to_string(rule.first_line);
    if (rule.last_line != rule.first_line) text += "–";
    if (rule.last_line != rule.first_line && rule.last_line != 0) text += std::to_string(rule.last_line);
    return text;
}

}  // namespace

std::string_view rule_kind_name(Kind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

std::string rule_error(const ModuleRule& rule) {
    if (rule.kind == Kind::neighbours) return {};
    if (rule.module.empty()) return "has no module, the path that its nodes get";
    if (!is_path(rule.module)) return "module " + in_quotes(shortened(rule.module)) + " is no path of names and dots";
    try {
        switch (rule.kind) {
            case Kind::parameters:
                if (rule.pattern.empty()) return "has no pattern of parameter names";
                return part_error(rule, ModulePattern(rule.pattern).part_names());
            case Kind::source:
                if (rule.file.empty()) return "has no file";
                if (rule.last_line != 0 && rule.last_line < rule.first_line) return "ends before its first line";
                return part_error(rule, {"n"});
            case Kind::repetition:
                if (rule.first.empty() || rule.last.empty()) return "has no first and last node";
                if (rule.count == 0) return "has no count of repetitions";
                return part_error(rule, {"n"});
            case Kind::nodes:
                if (rule.nodes.empty()) return "names no nodes";
                return part_error(rule, {});
            case Kind::neighbours:
                break;
        }
    } catch (const InputError& error) {
        return error.problem();
    }
    return {};
}

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

std::string describe(const ModuleRule& rule) {
    std::string text;
    switch (rule.kind) {
        case Kind::parameters:
            text = "parameters " + rule.pattern;
            break;
        case Kind::source:
            text = rule.file + lines_text(rule) + (rule.function.empty() ? "" : ", " + rule.function);
            break;
        case Kind::repetition:
            text = rule.first + " to " + rule.last + ", " + counted(rule.count, "time");
            break;
        case Kind::nodes:
            text = rule.nodes.size() == 1 ? rule.nodes.front() : counted(rule.nodes.size(), "node") + " by name";
            break;
        case Kind::neighbours:
            return "nodes between nodes of one module";
    }
    return text + " → " + rule.module;
}

}  // namespace overlap
