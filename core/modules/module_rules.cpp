#include "core/modules/module_rules.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/modules/module_pattern.h"

namespace overlap {

namespace {

using Kind = ModuleRule::Kind;

constexpr std::array<std::string_view, 5> kind_names = {"parameters", "source", "repetition", "nodes", "neighbours"};

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

std::span<const std::string_view> rule_kind_names() {
    return kind_names;
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
