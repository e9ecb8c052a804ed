#include "core/plan/memory_section.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/graph/graph_builder.h"
#include "core/plan/memory_choices.h"
#include "core/plan/memory_edits.h"
#include "core/plan/plan.h"
#include "core/plan/plan_edits.h"
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
    const std::vector<Problem> problems = check_unevaluated(plan);
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_NE(problems[0].message.find("gives its option memory_policy itself"), std::string::npos);
    EXPECT_NE(problems[1].message.find("does not run selective_activation_remat_pass"), std::string::npos);
    EXPECT_EQ(problems[1].title, "Memory not carried out") << "the plan is evaluated all the same";
    for (const Problem& problem : problems)
        EXPECT_EQ(problem_kind_name(problem.kind), "memory_not_carried_out") << problem.message;
    EXPECT_FALSE(edits::with_fix(plan, problems[0])) << "an option of a step is the user's own";
    EXPECT_EQ(problems[1].fix, "switch selective_activation_remat_pass on");
    Plan mended = plan;
    mended.pipeline[1].enabled = true;
    EXPECT_EQ(edits::with_fix(plan, problems[1]), mended);
    plan.pipeline.erase(plan.pipeline.begin() + 1);
    const std::vector<Problem> of_missing = check_unevaluated(plan);
    ASSERT_EQ(of_missing.size(), 2u);
    EXPECT_EQ(of_missing[1].fix, "add selective_activation_remat_pass");
    const Plan added = edits::with_fix(plan, of_missing[1]).value();
    EXPECT_EQ(check_unevaluated(added).size(), 1u);
    const Plan edited = edits::with_memory(plan, *plan.memory);
    EXPECT_TRUE(check_unevaluated(edited).empty());
    EXPECT_EQ(edits::without_memory(edited).memory, std::nullopt);
}

TEST(MemoryEdits, PassesGoAndStepsThatAreOffStay) {
    Plan plan;
    plan.memory = section_of("full");
    plan.pipeline = {{"canonicalize_graph_pass"},
                     {"tag_with_memory_policy_pass"},
                     {"apply_cpu_offload_pass", {{"defer_n_layers", std::int64_t{7}}}, false},
                     {"selective_activation_remat_pass"}};
    Plan expected = plan;
    expected.pipeline = {plan.pipeline[0], plan.pipeline[2]};
    EXPECT_EQ(edits::without_memory_passes(plan), expected);
}

TEST(MemoryEdits, StepsGiveOnlyWhatTheSectionDoesNotSay) {
    Plan plan;
    plan.pipeline = {
        {"tag_with_memory_policy_pass",
         {{"memory_policy", "eager"}, {"rules", "keep *"}, {"cpu_offload_budget_gb", 5.0}, {"other", true}}},
        {"apply_cpu_offload_pass", {{"defer_n_layers", std::int64_t{7}}}, false},
        {"selective_activation_remat_pass"},
        {"canonicalize_graph_pass", {}, false}};
    const Plan edited = edits::with_memory(plan, section_of("full"));
    EXPECT_EQ(edited.memory, section_of("full"));
    ASSERT_EQ(edited.pipeline.size(), 4u);
    EXPECT_EQ(edited.pipeline[0], (PassStep{"tag_with_memory_policy_pass", {{"other", true}}}));
    EXPECT_EQ(edited.pipeline[1], PassStep{"apply_cpu_offload_pass"});
    EXPECT_FALSE(edited.pipeline[3].enabled) << "no step of the section";
}

TEST(MemoryEdits, WhatIsInEffectIsTheSectionsAndWhatStepsSay) {
    Plan plan;
    EXPECT_EQ(edits::memory_in_effect(plan), MemorySection());
    plan.memory = section_of("full");
    plan.memory->prefetch_lookahead = 3;
    plan.pipeline = {{"tag_with_memory_policy_pass", {{"memory_policy", "eager"}, {"rules", "keep layers.0"}}},
                     {"apply_cpu_offload_pass", {{"prefetch_lookahead", std::int64_t{9}}}, false},
                     {"other_pass", {{"defer_n_layers", std::int64_t{9}}}}};
    const MemorySection found = edits::memory_in_effect(plan);
    EXPECT_EQ(found.policy, "eager");
    EXPECT_EQ(memory_rules_text(found.rules), "keep layers.0");
    EXPECT_EQ(found.prefetch_lookahead, 3) << "its step does not run";
    EXPECT_EQ(found.defer_n_layers, 1) << "no step of the section";
}

TEST(MemoryEdits, AnOptionIsTakenWhereItsValueFits) {
    MemorySection section;
    EXPECT_TRUE(edits::set_option(section, "memory_policy", OptionValue("eager")));
    EXPECT_TRUE(edits::set_option(section, "prefetch_lookahead", OptionValue(std::int64_t{4})));
    EXPECT_TRUE(edits::set_option(section, "defer_n_layers", OptionValue(std::int64_t{5})));
    EXPECT_TRUE(edits::set_option(section, "cpu_offload_budget_gb", OptionValue(2.5)));
    EXPECT_EQ(section.policy, "eager");
    EXPECT_EQ(section.prefetch_lookahead, 4);
    EXPECT_EQ(section.defer_n_layers, 5);
    EXPECT_EQ(section.cpu_offload_budget_gb, 2.5);
    EXPECT_TRUE(edits::set_option(section, "cpu_offload_budget_gb", OptionValue(std::int64_t{7})));
    EXPECT_EQ(section.cpu_offload_budget_gb, 7) << "a whole number is one too";
    EXPECT_TRUE(edits::set_option(section, "rules", OptionValue("save norm")));
    EXPECT_EQ(memory_rules_text(section.rules), "save norm");
    const MemorySection before = section;
    EXPECT_FALSE(edits::set_option(section, "memory_policy", OptionValue(true)));
    EXPECT_FALSE(edits::set_option(section, "cpu_offload_budget_gb", OptionValue("much")));
    EXPECT_FALSE(edits::set_option(section, "rules", OptionValue(true)));
    EXPECT_FALSE(edits::set_option(section, "another", OptionValue("save norm")));
    EXPECT_EQ(section, before);
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

TEST(MemoryEdits, RulesThatAreNotThereDoNotMove) {
    const MemorySection section =
        section_of("default", {{MemoryAction::save, {"a", "b"}, {}}, {MemoryAction::keep, {}, {}}});
    EXPECT_EQ(memory_rules_text(edits::move_rule(section, 1, 0).rules), "keep * | save a + b");
    EXPECT_EQ(memory_rules_text(edits::remove_rule(section, 1).rules), "save a + b");
    EXPECT_EQ(edits::remove_rule(section, 2), section);
    EXPECT_EQ(edits::move_rule(section, 0, 2), section);
    EXPECT_EQ(edits::move_rule(section, 2, 0), section);
    EXPECT_EQ(edits::take_modules(section, 2, {"a"}), section);
    EXPECT_EQ(memory_rules_text(edits::take_modules(section, 1, {}).rules), "save a + b | keep *");
}

TEST(MemoryChoices, AreThePoliciesAndWhatKeptGathersAdd) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    std::vector<std::string> names;
    for (const MemoryChoice& choice : memory_choices(tree)) names.push_back(choice.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"default", "save_all", "eager", "full", "sac_and_offload", "default_keep_last",
                                        "default_keep_all", "full_keep_last", "full_keep_all"}));
    EXPECT_TRUE(std::ranges::equal(names, memory_choice_names)) << "the names that the command line takes";
}

TEST(MemoryChoices, KeepTheGathersOfTheLastQuarterOfTheLayers) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8");
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    const std::vector<MemoryChoice> choices = memory_choices(tree);
    ASSERT_EQ(choices.size(), 9u);
    EXPECT_EQ(choices[1].title, "default, all but gathers saved");
    EXPECT_EQ(memory_rules_text(choices[1].section.rules), "save *");
    EXPECT_EQ(choices[5].title, "default, gathers kept in last 1 layer");
    EXPECT_EQ(choices[5].section.policy, "default");
    EXPECT_EQ(memory_rules_text(choices[5].section.rules), "keep layers.5");
    EXPECT_EQ(memory_rules_text(choices[6].section.rules), "keep *");
    EXPECT_EQ(choices[7].title, "full, gathers kept in last 1 layer");
    EXPECT_EQ(choices[7].section.policy, "full");
    EXPECT_EQ(memory_rules_text(choices[7].section.rules), "keep layers.5");
    EXPECT_EQ(memory_rules_text(choices[8].section.rules), "keep *");
    EXPECT_EQ(numbered_layers(tree),
              (std::vector<std::string>{"layers.0", "layers.1", "layers.2", "layers.3", "layers.4", "layers.5"}));
}

TEST(MemoryEdits, AModuleJoinsTheOnlyRuleOfItsKind) {
    const MemorySection section = section_of("default", {{MemoryAction::save, {"a"}, {}}});
    EXPECT_EQ(memory_rules_text(edits::put_modules(section, MemoryAction::save, {"b"}).rules), "save a + b");
}

TEST(MemoryEdits, ARuleOfWhatIsAroundAModuleOverrulesEarlierOnes) {
    const MemorySection section =
        section_of("default", {{MemoryAction::save, {"layers.0"}, {}}, {MemoryAction::recompute, {"layers.1"}, {}}});
    EXPECT_EQ(memory_rules_text(edits::put_modules(section, MemoryAction::save, {"layers.1.attention"}).rules),
              "save layers.0 | recompute layers.1 | save layers.1.attention");
    EXPECT_EQ(memory_rules_text(edits::put_modules(section, MemoryAction::save, {"layers.2"}).rules),
              "save layers.0 + layers.2 | recompute layers.1");
}

TEST(MemorySection, RulesAreToldToNeedModeExact) {
    Plan plan;
    plan.memory = section_of("full");
    plan.pipeline = with_memory_steps({{"eliminate_dead_code_pass"}});
    EXPECT_TRUE(check_unevaluated(plan).empty()) << "torchtitan knows the policy";
    plan.memory->rules = {{MemoryAction::keep, {"layers.0"}, {}}};
    const std::vector<Problem> problems = check_unevaluated(plan);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].kind, ProblemKind::exact_mode_only);
    EXPECT_EQ(problems[0].severity, Severity::note);
    const auto tag = static_cast<std::size_t>(std::ranges::find(plan.pipeline, memory_tag_pass, &PassStep::pass) -
                                              plan.pipeline.begin());
    const std::string number = std::to_string(tag + 1);
    EXPECT_EQ(problems[0].message, "step " + number +
                                       " (tag_with_memory_policy_pass) has the option rules, which PyTorch does not "
                                       "know: a job can apply this plan in mode \"exact\" only");
    plan.pipeline.push_back({"manual_overlap_bucketing", {{"safe", true}}});
    EXPECT_NE(check_unevaluated(plan)[0].message.find("; step 5 (manual_overlap_bucketing) has the option safe"),
              std::string::npos)
        << check_unevaluated(plan)[0].message;
    plan.pipeline.pop_back();
    plan.pipeline[tag].enabled = false;
    for (const Problem& problem : check_unevaluated(plan)) EXPECT_NE(problem.kind, ProblemKind::exact_mode_only);
}

TEST(MemorySection, EachPassThatDoesNotRunIsAnObstacle) {
    Plan plan;
    plan.memory = section_of("full");
    const std::vector<Problem> problems = check_unevaluated(plan);
    ASSERT_EQ(problems.size(), 3u);
    EXPECT_EQ(problems[0].fix, "add tag_with_memory_policy_pass");
    EXPECT_EQ(problems[1].fix, "add apply_cpu_offload_pass");
    EXPECT_EQ(problems[2].fix, "add selective_activation_remat_pass");
}

TEST(MemorySection, ComesTooLateForAGraphThatOffloads) {
    const auto refusal = [](std::string_view target) {
        GraphBuilder builder;
        builder.call("made", target, {}, {});
        builder.output({});
        return memory_section_refusal(builder.finish({}));
    };
    EXPECT_NE(refusal("ao.offload.default").find("comes too late"), std::string::npos);
    EXPECT_EQ(refusal("aten.full.default"), "");
}

}  // namespace
}  // namespace overlap
