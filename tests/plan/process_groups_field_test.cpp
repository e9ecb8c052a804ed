#include "core/plan/process_groups_field.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/io/graph_file.h"
#include "core/io/plan/plan_file.h"
#include "core/io/plan/process_groups_json.h"
#include "core/pipeline/evaluation.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

std::string refusal(const char* process_groups) {
    try {
        read_process_groups(Json::parse(process_groups));
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(GroupSettings, WhatIsNotGivenIsLeftToNccl) {
    const std::vector<GroupSettings> settings = read_process_groups(
        Json::parse(R"([{"name": "0", "later": [1]}, {"name": "1", "high_priority": true, "min_ctas": 2,
                        "max_ctas": 16, "cga_cluster_size": 0, "nvls_ctas": 4, "cta_policy": 2, "traffic_class": 255}])"));
    ASSERT_EQ(settings.size(), 2u);
    EXPECT_EQ(settings[0].group, "0");
    EXPECT_EQ(settings[0].extra, (UnknownFields{{"later", "[1]"}}));
    EXPECT_FALSE(settings[0].high_priority || settings[0].min_ctas);
    EXPECT_EQ(settings[1], (GroupSettings{"1", true, 2, 16, 0, 4, 2, 255}));
    EXPECT_TRUE(read_process_groups(Json::array()).empty());
}

TEST(GroupSettings, ImpossibleValuesAreToldWithTheirPlace) {
    EXPECT_EQ(refusal("{}"), "process_groups: found an object, expected a list");
    EXPECT_EQ(refusal(R"(["0"])"), "process_groups[0]: found the string \"0\", expected an object with a name");
    EXPECT_EQ(refusal(R"([{"name": ""}])"), "process_groups[0].name: expected the name of a process group");
    EXPECT_EQ(refusal(R"([{"name": "0"}, {"name": "0"}])"), "process_groups[1].name: \"0\" stands there twice");
    EXPECT_EQ(refusal(R"([{"name": "0", "high_priority": 1}])"),
              "process_groups[0].high_priority: found 1, expected true or false");
    EXPECT_EQ(refusal(R"([{"name": "0", "max_ctas": 65}])"),
              "process_groups[0].max_ctas: found 65, expected a whole number from 1 to 64");
    EXPECT_EQ(refusal(R"([{"name": "0", "min_ctas": 1.5}])"),
              "process_groups[0].min_ctas: found 1.5, expected a whole number from 1 to 64");
    EXPECT_EQ(refusal(R"([{"name": "0", "cga_cluster_size": 1e300}])"),
              "process_groups[0].cga_cluster_size: found 1e+300, expected a whole number from 0 to 8");
    EXPECT_EQ(refusal(R"([{"name": "0", "min_ctas": 9, "max_ctas": 8}])"),
              "process_groups[0].min_ctas: found 9, expected at most max_ctas, which is 8");
}

TEST(GroupSettings, AGroupThatTheGraphDoesNotHaveIsRefused) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const Graph graph = sketch.finish({sketch.wait("wait", sketch.gather("gather", x, 1))});
    const std::string known = graph.header().process_groups.front().name;
    EXPECT_NO_THROW(check_group_settings({GroupSettings{known, true, {}, {}, {}}}, graph));
    EXPECT_THROW(
        check_group_settings({GroupSettings{known, true, {}, {}, {}}, GroupSettings{"none", true, {}, {}, {}}}, graph),
        InputError);
}

TEST(GroupSettings, AnEditKeepsEverythingElse) {
    using Groups = std::vector<GroupSettings>;
    const Groups before = read_process_groups(
        Json::parse(R"([{"name": "0", "min_ctas": 2, "colour": "red"}, {"name": "1", "later": 1}])"));
    const Groups edited = with_group_settings(before, {"0", true, {}, 16, {}});
    EXPECT_EQ(process_groups_json(edited),
              Json::parse(R"([{"name": "0", "high_priority": true, "max_ctas": 16, "colour": "red"},
                              {"name": "1", "later": 1}])"));
    EXPECT_EQ(process_groups_json(with_group_settings({}, {"2", false, 1, {}, 0})),
              Json::parse(R"([{"name": "2", "high_priority": false, "min_ctas": 1, "cga_cluster_size": 0}])"));
    EXPECT_TRUE(with_group_settings({{"2", {}, {}, 4, {}}}, {"2", {}, {}, {}, {}}).empty());
    EXPECT_EQ(process_groups_json(without_group_settings(before, "0")), Json::parse(R"([{"name": "1", "later": 1}])"));
    EXPECT_EQ(without_group_settings(before, "2"), before);
}

TEST(GroupSettings, ThePlanGoesBeforeTheGraph) {
    ProcessGroup group;
    group.name = "0#ep_extra";
    group.extra_json = R"({"high_priority_stream": true})";
    EXPECT_EQ(settings_for({}, group).high_priority, true);
    EXPECT_EQ(settings_for({{"0#ep_extra", false, {}, 4, {}}}, group), (GroupSettings{"0#ep_extra", false, {}, 4, {}}));
    EXPECT_EQ(settings_for({{"0", false, {}, 4, {}}}, group).high_priority, true);
}

TEST(GroupSettings, APlanThatSaysNothingOfPriorityLeavesItToThePass) {
    ProcessGroup group;
    group.name = "0#ep_extra";
    group.extra_json = R"({"high_priority_stream": true})";
    const std::vector<GroupSettings> asked =
        read_process_groups(Json::parse(R"([{"name": "0#ep_extra", "max_ctas": 4}])"));
    EXPECT_EQ(settings_for(asked, group), (GroupSettings{"0#ep_extra", true, {}, 4, {}}));
    group.extra_json = "{}";
    EXPECT_EQ(settings_for(asked, group), (GroupSettings{"0#ep_extra", false, {}, 4, {}}));
}

TEST(GroupSettings, APlanKeepsThemAndProblemsTellWhatARunWouldRefuse) {
    const std::string text = R"({"format": "overlap-plan", "version": 1, "process_groups":
        [{"name": "0", "min_ctas": 0, "colour": "red"}]})";
    const Plan plan = read_plan_text(text, "p.json");
    EXPECT_EQ(read_plan_text(write_plan_text(plan), "p.json"), plan);
    EXPECT_NE(write_plan_text(plan).find("\"red\""), std::string::npos);
    const std::vector<Problem> problems = check_unevaluated(plan);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].message,
              "a run would refuse process_groups[0].min_ctas: found 0, expected a whole number from 1 to 64");
    const Plan coloured = read_plan_text(
        R"({"format": "overlap-plan", "version": 1, "process_groups": [{"name": "0", "colour": "red"}]})", "p.json");
    const std::vector<Problem> unknown = check_unevaluated(coloured);
    ASSERT_EQ(unknown.size(), 1u);
    EXPECT_EQ(unknown[0].severity, Severity::note);
    EXPECT_TRUE(unknown[0].message.starts_with(
        "the plan has fields that this version keeps but does not know: process_groups[0].colour; there are: \"name\""))
        << unknown[0].message;
    const Plan good = read_plan_text(
        R"({"format": "overlap-plan", "version": 1, "process_groups": [{"name": "0", "min_ctas": 1}]})", "p.json");
    EXPECT_TRUE(check_unevaluated(good).empty());
}

TEST(GroupSettings, WhatARunWouldRefuseIsACaution) {
    const Problem problem = run_refusal(InputError("process_groups[0].name", "there is no such group"));
    EXPECT_EQ(problem.severity, Severity::caution);
    EXPECT_EQ(problem.kind, ProblemKind::not_evaluated);
    EXPECT_EQ(problem.title, "Not evaluated");
    EXPECT_EQ(problem.message, "a run would refuse process_groups[0].name: there is no such group");
}

TEST(GroupSettings, AFieldThatIsNotKnownIsToldWithThoseThatAre) {
    GroupSettings settings{"0", {}, {}, {}, {}};
    settings.extra = {{"max_ctsa", "4"}};
    const std::vector<std::string> unknown = unknown_group_settings({{"1", {}, {}, {}, {}}, settings});
    ASSERT_EQ(unknown.size(), 1u);
    EXPECT_TRUE(unknown[0].starts_with("process_groups[1].max_ctsa")) << unknown[0];
    EXPECT_NE(unknown[0].find("max_ctas"), std::string::npos) << unknown[0];
}

TEST(GroupSettings, AGroupThatThePlanDoesNotMakeIsAProblem) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const std::string group = graph->header().process_groups.front().name;
    Plan plan = make_plan(*graph, "Plan A");
    plan.process_groups = {{group, {}, 1, {}, {}}, {"nobody", {}, {}, {}, {}}};
    const auto is_told = [&] {
        const auto evaluation = evaluate(graph, plan);
        return std::ranges::any_of(evaluation->problems, [](const Problem& problem) {
            return problem.message.starts_with(
                "a run would refuse process_groups[1].name: there is no process group \"nobody\"");
        });
    };
    EXPECT_TRUE(is_told());
    plan.pipeline = {{.pass = "no_such_pass"}};
    EXPECT_FALSE(is_told()) << "a refused plan may have made it";
    plan.pipeline.clear();
    plan.process_groups.pop_back();
    EXPECT_FALSE(is_told());
}

}  // namespace
}  // namespace overlap::test
