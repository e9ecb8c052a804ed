#include "core/plan/memory_section.h"

#include <gtest/gtest.h>

#include "core/plan/memory_choices.h"
#include "core/plan/memory_edits.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

std::vector<std::string> passes(const std::vector<PassStep>& pipeline) {
    std::vector<std::string> names;
    for (const PassStep& step : pipeline) names.push_back(step.pass);
    return names;
}

MemorySection section_of(std::string policy, std::vector<MemoryRule> rules = {}) {
    MemorySection section;
    section.policy = std::move(policy);
    section.rules = std::move(rules);
    return section;
}

TEST(MemorySection, MissingStepsComeBehindTheCleanUps) {
    const std::vector<PassStep> pipeline = {
        {"eliminate_dead_code_pass"}, {"canonicalize_graph_pass"}, {"manual_overlap_bucketing"}};
    const std::vector<std::string> expected = {"eliminate_dead_code_pass",        "canonicalize_graph_pass",
                                               "tag_with_memory_policy_pass",     "apply_cpu_offload_pass",
                                               "selective_activation_remat_pass", "manual_overlap_bucketing"};
    EXPECT_EQ(passes(with_memory_steps(pipeline)), expected);
    EXPECT_EQ(passes(with_memory_steps(with_memory_steps(pipeline))), expected);
    EXPECT_EQ(passes(with_memory_steps({{"selective_activation_remat_pass"}, {"x"}})),
              (std::vector<std::string>{"tag_with_memory_policy_pass", "apply_cpu_offload_pass",
                                        "selective_activation_remat_pass", "x"}));
}

TEST(MemorySection, StepsTakeWhatTheyAreNotGiven) {
    Plan plan;
    plan.memory = section_of("full", {{MemoryAction::keep, {"layers.0"}, {}}});
    plan.memory->defer_n_layers = 3;
    plan.pipeline = {{"tag_with_memory_policy_pass", {{"cpu_offload_budget_gb", 5.0}}},
                     {"apply_cpu_offload_pass"},
                     {"selective_activation_remat_pass"}};
    const std::vector<PassStep> steps = lower(plan);
    EXPECT_EQ(*steps[0].options.find("memory_policy"), OptionValue("full"));
    EXPECT_EQ(*steps[0].options.find("rules"), OptionValue("keep layers.0"));
    EXPECT_EQ(*steps[0].options.find("cpu_offload_budget_gb"), OptionValue(5.0));
    EXPECT_EQ(*steps[1].options.find("defer_n_layers"), OptionValue(std::int64_t{3}));
    EXPECT_TRUE(steps[2].options.empty());
    plan.memory.reset();
    EXPECT_EQ(lower(plan), plan.pipeline);
}

TEST(MemorySection, WhatItCannotReachIsTold) {
    Plan plan;
    plan.memory = section_of("full");
    plan.pipeline = {{"tag_with_memory_policy_pass", {{"memory_policy", "eager"}}},
                     {"selective_activation_remat_pass", {}, false},
                     {"apply_cpu_offload_pass"}};
    const std::vector<std::string> obstacles = memory_section_obstacles(*plan.memory, plan.pipeline);
    ASSERT_EQ(obstacles.size(), 2u);
    EXPECT_NE(obstacles[0].find("gives its option memory_policy itself"), std::string::npos);
    EXPECT_NE(obstacles[1].find("does not run selective_activation_remat_pass"), std::string::npos);
    EXPECT_EQ(check_unevaluated(plan).size(), 2u);
    const Plan edited = edits::with_memory(plan, *plan.memory);
    EXPECT_TRUE(memory_section_obstacles(*edited.memory, edited.pipeline).empty());
    EXPECT_EQ(edits::without_memory(edited).memory, std::nullopt);
}

TEST(MemoryEdits, AModuleIsWhereItWasPutLast) {
    MemorySection section;
    section = edits::put_modules(section, MemoryAction::recompute, {"layers.0", "layers.1"});
    section = edits::put_modules(section, MemoryAction::keep, {"layers.1"});
    section = edits::put_modules(section, MemoryAction::save, {"layers.1"});
    section = edits::put_modules(section, MemoryAction::save, {"layers.0.attention"});
    EXPECT_EQ(memory_rules_text(section.rules),
              "recompute layers.0 | keep layers.1 | save layers.1 + layers.0.attention");
    // What contains others takes their place.
    section = edits::put_modules(section, MemoryAction::recompute, {"layers.0"});
    EXPECT_EQ(memory_rules_text(section.rules), "keep layers.1 | save layers.1 | recompute layers.0");
    section = edits::put_modules(section, MemoryAction::recompute, {"layers.1"}, {"aten.mm.default"});
    section = edits::put_modules(section, MemoryAction::offload, {});
    EXPECT_EQ(memory_rules_text(section.rules), "keep layers.1 | recompute layers.1 :: aten.mm.default | offload *");
}

TEST(MemoryEdits, ARuleThatIsOverruledTakesNoMore) {
    MemorySection section =
        section_of("default", {{MemoryAction::save, {"norm"}, {}}, {MemoryAction::recompute, {}, {}}});
    section = edits::put_modules(section, MemoryAction::save, {"layers.0"});
    EXPECT_EQ(memory_rules_text(section.rules), "save norm | recompute * | save layers.0");
}

TEST(MemoryEdits, RulesMoveAndGo) {
    MemorySection section = section_of("default", {{MemoryAction::save, {"a", "b"}, {}}, {MemoryAction::keep, {}, {}}});
    EXPECT_EQ(memory_rules_text(edits::move_rule(section, 0, 1).rules), "keep * | save a + b");
    EXPECT_EQ(memory_rules_text(edits::take_modules(section, 0, {"a"}).rules), "save b | keep *");
    EXPECT_EQ(memory_rules_text(edits::take_modules(section, 0, {"a", "b"}).rules), "keep *");
    EXPECT_EQ(memory_rules_text(edits::take_modules(section, 1, {"a"}).rules), "save a + b | keep *");
    EXPECT_EQ(edits::remove_rule(section, 7), section);
}

TEST(MemoryChoices, AreThePoliciesAndWhatKeptGathersAdd) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    std::vector<std::string> names;
    for (const MemoryChoice& choice : memory_choices(tree)) names.push_back(choice.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"default", "save_all", "eager", "full", "sac_and_offload", "default_keep_last",
                                        "default_keep_all", "full_keep_last", "full_keep_all"}));
}

}  // namespace
}  // namespace overlap
