// What rules of modules are called, what is wrong with them, and what names of parameters become.

#include <gtest/gtest.h>

#include "core/modules/module_pattern.h"
#include "core/modules/module_rules.h"
#include "core/modules/parameter_proposals.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

using Kind = ModuleRule::Kind;

ModuleRule rule_of(Kind kind, std::string module) {
    ModuleRule rule;
    rule.kind = kind;
    rule.module = std::move(module);
    return rule;
}

ModuleRule lines(std::int64_t first, std::int64_t last, std::string function = "") {
    ModuleRule rule = rule_of(Kind::source, "m");
    rule.file = "f.py";
    rule.first_line = first;
    rule.last_line = last;
    rule.function = std::move(function);
    return rule;
}

ModuleRule repetition(std::string first, std::string last, std::uint32_t count, std::string module = "layers.{n}") {
    ModuleRule rule = rule_of(Kind::repetition, std::move(module));
    rule.first = std::move(first);
    rule.last = std::move(last);
    rule.count = count;
    return rule;
}

ModuleRule nodes(std::vector<std::string> names, std::string module = "head") {
    ModuleRule rule = rule_of(Kind::nodes, std::move(module));
    rule.nodes = std::move(names);
    return rule;
}

ModuleRule parameters(std::string pattern, std::string module) {
    ModuleRule rule = rule_of(Kind::parameters, std::move(module));
    rule.pattern = std::move(pattern);
    return rule;
}

TEST(ModuleRuleTexts, SayWhatIsGivenToWhom) {
    EXPECT_EQ(describe(parameters("a.{n}.*", "a.{n}")), "parameters a.{n}.* → a.{n}");
    EXPECT_EQ(describe(lines(0, 0)), "f.py → m");
    EXPECT_EQ(describe(lines(3, 3)), "f.py:3 → m");
    EXPECT_EQ(describe(lines(3, 9, "forward")), "f.py:3–9, forward → m");
    EXPECT_EQ(describe(lines(3, 0)), "f.py:3– → m");
    EXPECT_EQ(describe(repetition("a", "b", 3)), "a to b, 3 times → layers.{n}");
    EXPECT_EQ(describe(nodes({"mm"})), "mm → head");
    EXPECT_EQ(describe(nodes({"mm", "mm_1"})), "2 nodes by name → head");
    EXPECT_EQ(describe(rule_of(Kind::neighbours, "")), "nodes between nodes of one module");
}

TEST(ModuleRuleTexts, SayWhatIsMissingOrWrong) {
    EXPECT_EQ(rule_error(rule_of(Kind::neighbours, "")), "");
    EXPECT_EQ(rule_error(nodes({"a"}, "")), "has no module, the path that its nodes get");
    for (const std::string path : {".a", "a.", "a..b"}) {
        EXPECT_EQ(rule_error(nodes({"a"}, path)), "module \"" + path + "\" is no path of names and dots");
    }
    EXPECT_EQ(rule_error(parameters("", "a")), "has no pattern of parameter names");
    EXPECT_EQ(rule_error(parameters("a.{n}", "a.{m}")),
              "module \"a.{m}\" has the part {m}, which its rule does not give; it gives {n}");
    EXPECT_EQ(rule_error(parameters("a.*", "a.{m}")), "module \"a.{m}\" has the part {m}, which nothing gives");
    EXPECT_EQ(rule_error(rule_of(Kind::source, "a")), "has no file");
    EXPECT_EQ(rule_error(lines(9, 3)), "ends before its first line");
    EXPECT_EQ(rule_error(lines(9, 0)), "");
    EXPECT_EQ(rule_error(lines(9, 9)), "");
    EXPECT_EQ(rule_error(repetition("", "b", 3)), "has no first and last node");
    EXPECT_EQ(rule_error(repetition("a", "", 3)), "has no first and last node");
    EXPECT_EQ(rule_error(repetition("a", "b", 0)), "has no count of repetitions");
    EXPECT_EQ(rule_error(repetition("a", "b", 3, "layers.{m}")),
              "module \"layers.{m}\" has the part {m}, which its rule does not give; it gives {n}");
    EXPECT_EQ(rule_error(nodes({})), "names no nodes");
    EXPECT_EQ(rule_error(nodes({"a"}, "a.{n}")), "module \"a.{n}\" has the part {n}, which nothing gives");
}

TEST(ParameterProposals, EachFormOfANameHasItsRule) {
    struct Case {
        std::string name, pattern, module;
    };
    const std::vector<Case> cases = {
        {"a.1.b.2.c.3.d.4.w", "a.{n}.b.{m}.c.{k}.d.{n3}.*", "a.{n}.b.{m}.c.{k}.d.{n3}"},
        {"a.-1.w", "a.-1.*", "a.-1"},
        {"a.1b.w", "a.1b.*", "a.1b"},
        {"L_self_modules_norm_buffers_scale_", "L_self_modules_norm_buffers_*", "norm"},
        {"layers_3_weight", "layers_{n}_*", "layers.{n}"},
        {"primals_layers_3_wq_bias", "primals_layers_{n}_wq_*", "layers.{n}.wq"},
        {"self_norm_weight", "self_norm_*", "norm"},
        {"p_attention_wq_weight", "p_attention_wq_*", "attention_wq"},
        // No path at all, a component without a name, one that could not be told from a pattern, an end that says
        // nothing.
        {"a..w", "", ""},
        {".w", "", ""},
        {"a.{n}.w", "", ""},
        {"a.*", "", ""},
        {"a.b}.w", "", ""},
        {"L_self_modules_norm", "", ""},
        {"p__weight", "", ""},
        {"attention_wq_weight", "", ""},
        {"3_weight", "", ""},
        {"", "", ""},
    };
    for (const Case& expected : cases) {
        const ModuleRule rule = rule_of_parameter_name(expected.name);
        EXPECT_EQ(rule.pattern, expected.pattern) << expected.name;
        EXPECT_EQ(rule.module, expected.module) << expected.name;
        if (!rule.pattern.empty()) {
            EXPECT_EQ(rule_error(rule), "") << expected.name;
        }
    }
}

TEST(ModulePattern, WhatIsWrongIsToldWithThePattern) {
    EXPECT_EQ(test::problem_of([] { ModulePattern("layers.{}"); }), "in \"layers.{}\" a part in braces has no name");
    EXPECT_EQ(test::problem_of([] { ModulePattern("layers.{*}"); }), "in \"layers.{*}\" a part in braces has no name");
    EXPECT_EQ(test::problem_of([] { ModulePattern("layers.{n"); }), "in \"layers.{n\" a { is not closed");
}

}  // namespace
}  // namespace overlap
