#include "core/io/plan/plan_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/io/plan/option_json.h"
#include "core/io/plan/plan_schema.h"
#include "core/passes/registry/registry.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

const std::string head = R"({"format": "overlap-plan", "version": 1, )";

std::string error_of(const std::string& text) {
    try {
        read_plan_text(text, "a.plan.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "read";
}

TEST(PlanFile, ReadsWhatItWrites) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = make_plan(*graph, "Größer");
    plan.buckets = parse_bucket_entries("tok_embeddings\nlayers.[0-5]\nnorm+lm_head\n");
    plan.buckets.push_back({{"loss"}, true, "the loss"});
    plan.notes = "line\nline";
    plan.colour = PlanColour::teal;
    const std::string text = write_plan_text(plan);
    const Plan read = read_plan_text(text, "a.plan.json");
    EXPECT_EQ(read, plan);
    EXPECT_EQ(write_plan_text(read), text);
}

TEST(PlanFile, AColourIsOneOfThoseThatThemesHave) {
    EXPECT_EQ(read_plan_text(head + R"("colour": "violet"})", "").colour, PlanColour::violet);
    EXPECT_EQ(read_plan_text(head + R"("buckets": []})", "").colour, PlanColour::none);
    EXPECT_FALSE(Json::parse(write_plan_text(read_plan_text(head + R"("buckets": []})", ""))).contains("colour"));
    EXPECT_EQ(error_of(head + R"("colour": "pink"})"),
              "a.plan.json: colour: found \"pink\", expected one of blue, green, amber, magenta, teal, orange, "
              "violet, lime");
}

TEST(PlanFile, AMemorySectionIsReadAndWritten) {
    const std::string text = head + R"("pipeline": [{"pass": "eliminate_dead_code_pass"}],
        "memory": {"policy": "full", "rules": [
            {"action": "keep", "modules": "layers.[28-31]"},
            {"action": "recompute", "modules": ["norm", "layers.[0-1]"], "operators": "aten.mm.default", "why": 1}],
            "defer_n_layers": 2, "newer": true}})";
    const Plan plan = read_plan_text(text, "a.plan.json");
    ASSERT_TRUE(plan.memory);
    EXPECT_EQ(plan.memory->policy, "full");
    EXPECT_EQ(memory_rules_text(plan.memory->rules),
              "keep layers.28 + layers.29 + layers.30 + layers.31 | "
              "recompute norm + layers.0 + layers.1 :: aten.mm.default");
    EXPECT_EQ(plan.memory->cpu_offload_budget_gb, 100);
    EXPECT_EQ(plan.memory->defer_n_layers, 2);
    EXPECT_EQ(plan.pipeline.size(), 4u);  // with the passes that carry it out
    const std::vector<std::string> added = {"tag_with_memory_policy_pass", "apply_cpu_offload_pass",
                                            "selective_activation_remat_pass"};
    EXPECT_EQ(plan.added_by_reading.memory_passes, added);
    const Json written = Json::parse(write_plan_text(plan));
    EXPECT_EQ(written["memory"]["newer"], true);
    EXPECT_EQ(written["memory"]["rules"][1]["why"], 1);
    const Plan again = read_plan_text(write_plan_text(plan), "");
    EXPECT_EQ(again, plan) << "they differ in what reading added alone";
    EXPECT_TRUE(again.added_by_reading.memory_passes.empty()) << "the file has them";
    EXPECT_FALSE(Json::parse(write_plan_text(read_plan_text(head + R"("buckets": []})", ""))).contains("memory"));
}

TEST(PlanFile, PassesThatReadingAddsAreTold) {
    const auto told = [](const std::string& steps) {
        Plan plan = read_plan_text(head + R"("pipeline": [)" + steps + R"(], "memory": {}})", "");
        std::vector<Problem> problems = check_unevaluated(plan);
        std::erase_if(problems, [](const Problem& each) { return each.kind != ProblemKind::memory_passes_added; });
        return problems.empty() ? std::string() : problems.front().message;
    };
    const std::string tag = R"({"pass": "tag_with_memory_policy_pass"})";
    const std::string remat = R"({"pass": "selective_activation_remat_pass", "enabled": false})";
    const std::string offload = R"({"pass": "apply_cpu_offload_pass"})";
    EXPECT_EQ(told(tag + ", " + offload + ", " + remat), "") << "none was added";
    EXPECT_EQ(told(tag + ", " + remat),
              "the plan's memory section needs apply_cpu_offload_pass, which the pipeline of its file lacks, so a step "
              "was added when the plan was read; to go without a pass, keep its step and switch it off");
    EXPECT_NE(told(tag).find("needs apply_cpu_offload_pass and selective_activation_remat_pass"), std::string::npos);
    Plan without_section = read_plan_text(head + R"("memory": {}})", "");
    without_section.memory.reset();
    for (const Problem& problem : check_unevaluated(without_section))
        EXPECT_NE(problem.kind, ProblemKind::memory_passes_added) << problem.message;
    // What the user has taken away since is not there any more.
    Plan plan = read_plan_text(head + R"("memory": {}})", "");
    plan.pipeline.clear();
    for (const Problem& problem : check_unevaluated(plan))
        EXPECT_EQ(problem.kind, ProblemKind::memory_not_carried_out) << problem.message;
}

TEST(PlanFile, AWrongMemorySectionIsRefusedWithItsPlace) {
    const auto error = [](const std::string& memory) { return error_of(head + R"("memory": )" + memory + "}"); };
    EXPECT_EQ(error(R"({"policy": "ful"})").find("a.plan.json: memory.policy"), 0u) << error(R"({"policy": "ful"})");
    EXPECT_EQ(error(R"({"rules": [{"modules": "a"}]})"), "a.plan.json: memory.rules[0]: has no action");
    EXPECT_NE(error(R"({"rules": [{"action": "keep", "operators": ["aten.mm.default"]}]})").find("takes no operators"),
              std::string::npos);
    EXPECT_NE(error(R"({"rules": [{"action": "saves"}]})").find("memory.rules[0].action: there is no action \"saves\""),
              std::string::npos);
    EXPECT_NE(error(R"({"rules": [{"action": "save", "modules": []}]})").find("leave it out for the whole model"),
              std::string::npos);
    EXPECT_NE(error(R"({"defer_n_layers": 1.5})").find("memory.defer_n_layers: found 1.5"), std::string::npos);
}

TEST(PlanFile, KeepsWhatItDoesNotKnow) {
    const std::string text = head + R"("buckets": [{"modules": "a", "colour": "blue"}],
        "overlaps": [{"collective": "x", "under": "y"}], "process_groups": [1], "device_orders": [], "of_newer": {"deep": [1, 2.5, null]}})";
    const Plan plan = read_plan_text(text, "a.plan.json");
    ASSERT_EQ(plan.extra.size(), 1u);
    EXPECT_EQ(plan.extra[0].second, R"({"deep":[1,2.5,null]})");
    ASSERT_TRUE(plan.unread_process_groups);
    const Json written = Json::parse(write_plan_text(plan));
    EXPECT_EQ(written["overlaps"][0]["under"], "y");
    EXPECT_EQ(written["of_newer"]["deep"][1], 2.5);
    EXPECT_EQ(written["process_groups"], Json::array({1}));
    EXPECT_EQ(written["buckets"][0]["colour"], "blue");
    EXPECT_EQ(read_plan_text(write_plan_text(plan), ""), plan);
}

TEST(PlanFile, WhatItDoesNotKnowIsToldWithItsPlace) {
    const Plan plan =
        read_plan_text(head + R"("graph": {"name": "g", "nodes": 1, "digest": "0123456789abcdef", "rank": 3},
        "buckets": ["norm", {"modules": "a", "titel": "A"}], "overlaps": [{"collective": "c", "befor": "mm"}]})",
                       "p.json");
    EXPECT_EQ(Json::parse(write_plan_text(plan))["graph"]["rank"], 3);
    const std::vector<Problem> problems = check_unevaluated(plan);
    EXPECT_EQ(problems.back().message,
              "the plan has fields that this version keeps but does not know: graph.rank, buckets[1].titel, "
              "overlaps[0].befor");
}

TEST(PlanFile, ReadsOverlapsAndWritesThemAsTheyWere) {
    const char* documents[] = {
        R"([{"collective":"x","start_after":"a","start_before":"b","wait_after":"c","hide_behind":"d","newer":1}])",
        R"({"keep_group_order":false,"insert_overlap_deps":false,"directives":[{"collective":"x","wait_after":"c"}]})",
    };
    for (const char* text : documents) {
        const Plan plan = read_plan_text(head + "\"overlaps\": " + text + "}", "a.plan.json");
        EXPECT_EQ(plan.overlaps.list.size(), 1u);
        EXPECT_TRUE(plan.extra.empty());
        EXPECT_EQ(Json::parse(write_plan_text(plan))["overlaps"], Json::parse(text));
        EXPECT_EQ(read_plan_text(write_plan_text(plan), ""), plan);
    }
    EXPECT_EQ(error_of(head + R"("overlaps": [{"start_after": "a"}]})"), "a.plan.json: overlaps[0]: has no collective");
}

TEST(PlanFile, NumbersBeyondADoubleAreAnError) {
    for (const std::string number : {"1e999", "-1e400"}) {
        EXPECT_EQ(error_of(R"({"pipeline": [{"options": {"max_in_flight_gb": )" + number + "}}]}"),
                  "a.plan.json: invalid JSON: the number " + number + " is beyond what a double holds");
    }
}

TEST(PlanFile, TextThatIsNoUtf8IsAnErrorWithoutItsBytes) {
    EXPECT_EQ(error_of("{\"version\": \"n\377\"}"), "a.plan.json: byte 14: this is not UTF-8, and JSON must be");
}

TEST(PlanFile, PutsBucketsIntoThePipeline) {
    const Plan plan = read_plan_text(head + R"("buckets": ["a", ["b", "c"], {"modules": ["d"]}],
        "pipeline": [{"pass": "manual_overlap_bucketing"}]})",
                                     "");
    const std::vector<PassStep> steps = lower(plan);
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(options_json(steps[0].options).dump(), R"({"module_bucket_plans":["a",["b","c"],["d"]]})");
    EXPECT_TRUE(plan.pipeline[0].options.empty());
}

TEST(PlanFile, ExpandsAbbreviations) {
    const Plan plan = read_plan_text(head + R"("buckets": ["layers.[0-2]", "norm+output", ["a", "b"], "c[0]",
        {"modules": "d.[0-1]", "title": "both"}]})",
                                     "");
    std::vector<std::string> names;
    for (const BucketEntry& entry : plan.buckets) names.push_back(display_name(entry));
    EXPECT_EQ(names, (std::vector<std::string>{"layers.0", "layers.1", "layers.2", "norm + output", "a + b", "c[0]",
                                               "d.0 + d.1"}));
    EXPECT_EQ(plan.buckets.back().title, "both");
    EXPECT_NE(error_of(head + R"("buckets": ["layers.[2-0]"]})").find("buckets[0]: "), std::string::npos);
}

TEST(PlanFile, AFewLettersAreNotGigabytes) {
    // 64 kB of such ranges would stand for hundreds of millions of modules.
    EXPECT_EQ(error_of(head + R"("buckets": ["a.[0-60000]", "b.[0-30000]", {"modules": "c.[0-60000]"}]})"),
              "a.plan.json: buckets[2].modules: line 1, column 3: the range [0-60000] stands for more than 100000 "
              "modules, with those before it");
    EXPECT_EQ(read_plan_text(head + R"("buckets": ["a.[0-60000]", "b.[0-30000]"]})", "").buckets.size(), 90'002u);
}

TEST(PlanFile, ItemsOfAListAreNamesAsTheyAre) {
    const Plan plan =
        read_plan_text(head + R"("buckets": [["a+b", "layers.[0-1]", "x, y\""], {"modules": ["c+d"]}]})", "");
    ASSERT_EQ(plan.buckets.size(), 2u);
    EXPECT_EQ(plan.buckets[0].modules, (std::vector<std::string>{"a+b", "layers.[0-1]", "x, y\""}));
    EXPECT_EQ(plan.buckets[1].modules, (std::vector<std::string>{"c+d"}));
    EXPECT_EQ(read_plan_text(write_plan_text(plan), ""), plan);
}

TEST(PlanFile, ANameThatLooksLikeAnAbbreviationIsReadAsItWas) {
    Plan plan;
    plan.buckets = {{.modules = {"a+b"}}};
    EXPECT_EQ(read_plan_text(write_plan_text(plan), "").buckets[0].modules, plan.buckets[0].modules);
}

TEST(PlanFile, TellsWhatIsNotEvaluated) {
    EXPECT_TRUE(check_unevaluated(read_plan_text(head + R"("process_groups": []})", "")).empty());
    const auto problems = check_unevaluated(read_plan_text(head + R"("process_groups": [{}], "of_newer": 1})", ""));
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].message, "a run would refuse process_groups[0].name: expected the name of a process group");
    EXPECT_EQ(problems[1].severity, Severity::note);
}

TEST(PlanFile, SaysWhatIsWrongAndWhere) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "a.plan.json: line 1, column 1: invalid JSON: "},
        {"{\n  \"format\": overlap}", "a.plan.json: line 2, column 1"},
        {"[]", "a.plan.json: found a list, expected a plan, which is an object"},
        {"{}", "a.plan.json: this is an object without a format; expected an overlap-plan, or a list of passes"},
        {R"({"format": "overlap-graph"})", "a.plan.json: format: found the string \"overlap-graph\", expected"},
        {R"({"format": "overlap-plan"})", "a.plan.json: version: missing, expected 1"},
        {R"({"format": "overlap-plan", "version": 2})",
         "a.plan.json: version: written by version 2 of the plan format; this program reads up to version 1: update "
         "Overlap Studio"},
        {head + R"("name": 1})", "a.plan.json: name: found 1, expected a string"},
        {head + "\n  \"name\": \"a\", \"name\": \"b\"}",
         "a.plan.json: line 2, column 16: the key \"name\" occurs twice in one object"},
        {head + R"("graph": 3})", "a.plan.json: graph: found 3, expected an object with name, nodes and digest"},
        {head + R"("graph": {"nodes": 3, "digest": "x"}})", "a.plan.json: graph.digest: found \"x\", expected 16"},
        {head + R"("graph": {"nodes": -3}})", "a.plan.json: graph.nodes: found -3, expected a number of nodes"},
        {head + R"("buckets": {}})", "a.plan.json: buckets: found an object, expected a list"},
        {head + R"("buckets": ["a", 3]})", "a.plan.json: buckets[1]: found 3, expected"},
        {head + R"("buckets": [{"modules": ["a", null]}]})", "a.plan.json: buckets[0].modules[1]: found null"},
        {head + R"("buckets": [{}]})", "a.plan.json: buckets[0]: has no modules"},
        {head + R"("buckets": [{"modules": "a", "title": []}]})", "a.plan.json: buckets[0].title: found a list"},
        {head + R"("pipeline": [1]})", "a.plan.json: pipeline[0]: found 1, expected an object with pass and options"},
        {head + R"("pipeline": [{"pass": "manual_bucketing"}]})", "a.plan.json: pipeline[0]: unknown pass"},
        {head + R"("pipeline": [{"pass": "manual_overlap_bucketing", "option": {}}]})",
         "a.plan.json: pipeline[0]: unknown field \"option\"; nearest: \"options\""},
        {head + R"("pipeline": [{"pass": "manual_overlap_bucketing", "options": {"bucket_mod": null}}]})",
         "a.plan.json: pipeline[0], manual_overlap_bucketing options: unknown option \"bucket_mod\"; nearest: "
         "\"bucket_mode\""},
    };
    for (const auto& [text, expected] : cases) EXPECT_TRUE(error_of(text).starts_with(expected)) << error_of(text);
}

TEST(PlanFile, SurvivesDeepNesting) {
    EXPECT_NE(error_of(head + "\"x\": " + std::string(100'000, '[')).find("nested more than 64 deep"),
              std::string::npos);
}

TEST(PlanFile, AppearsWholeOrNotAtAll) {
    const auto folder = std::filesystem::temp_directory_path() / ("overlap_plan_test." + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    const std::string path = (folder / "a.plan.json").string();
    Plan plan;
    plan.buckets = parse_bucket_entries("layers.0");
    write_plan_file(plan, path);
    EXPECT_EQ(read_plan_file(path), plan);
    EXPECT_THROW(write_plan_file(plan, (folder / "no" / "such.plan.json").string()), InputError);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);  // no temporary file stays
    EXPECT_THROW(read_plan_file((folder / "missing.plan.json").string()), InputError);
    std::filesystem::remove_all(folder);
}

TEST(PlanFile, ReadsPipelines) {
    const auto path = std::filesystem::temp_directory_path() / ("overlap_pipeline_test." + std::to_string(::getpid()));
    const auto read = [&](const std::string& text) {
        std::ofstream(path) << text;
        return read_pipeline_file(path.string());
    };
    const auto steps = read(R"([{"pass": "manual_overlap_bucketing", "options": {"module_bucket_plans": [["a"]]}}])");
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(options_json(steps[0].options)["module_bucket_plans"].dump(), R"([["a"]])");
    const auto of_plan = read(head + R"("buckets": ["a"], "pipeline": [{"pass": "manual_overlap_bucketing"}]})");
    EXPECT_EQ(options_json(of_plan[0].options)["module_bucket_plans"].dump(), R"(["a"])");
    EXPECT_THROW(read(R"([{"pass": "manual_overlap_bucketing"}])"), InputError);
    EXPECT_THROW(read("3"), InputError);
    std::filesystem::remove(path);
}

TEST(PlanFile, HasASchemaForEveryField) {
    std::ifstream file(std::string(OVERLAP_RESOURCES) + "/schemas/overlap-plan.schema.json");
    const Json schema = Json::parse(file);
    Plan plan = make_plan(*test_graph("llama3_debugmodel_fsdp8_aot_fw"), "Plan A");
    plan.buckets.push_back({{"a", "b"}, false, "title"});
    const Json document = Json::parse(write_plan_text(plan));
    for (const auto& [field, value] : document.items()) EXPECT_TRUE(schema["properties"].contains(field)) << field;
    for (const auto& [field, value] : document["graph"].items()) {
        EXPECT_TRUE(schema["properties"]["graph"]["properties"].contains(field)) << field;
    }
}

/// What the schema says of passes is made from their declarations; tests/plan/write_plan_schema.cpp writes it.
TEST(PlanFile, TheSchemaIsWhatTheDeclarationsMakeIt) {
    std::ifstream file(std::string(OVERLAP_RESOURCES) + "/schemas/overlap-plan.schema.json", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Json bare = Json::parse(text);
    bare["properties"]["pipeline"]["items"]["allOf"] = Json();
    bare["$defs"]["options"] = Json();
    EXPECT_EQ(text, schema_text(with_declared_options(bare)));
}

TEST(PlanFile, KeepsFieldsOfModuleRulesThatItDoesNotKnow) {
    const std::string text =
        head + R"("module_rules": [{"kind": "source", "module": "a", "file": "x.py", "later": [1]}]})";
    const Plan plan = read_plan_text(text, "");
    ASSERT_EQ(plan.module_rules.size(), 1u);
    EXPECT_EQ(plan.module_rules[0].extra, (UnknownFields{{"later", "[1]"}}));
    EXPECT_EQ(Json::parse(write_plan_text(plan))["module_rules"][0]["later"], Json::parse("[1]"));
}

/// The documents that the Python test validates against the schema are what the writer writes.
TEST(PlanFile, SamplesAreUpToDate) {
    const std::string folder = std::string(OVERLAP_TEST_DATA) + "/plans/";
    for (const char* name : {"blocks.plan.json", "everything.plan.json", "modules.plan.json"}) {
        std::ifstream file(folder + name, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        EXPECT_EQ(write_plan_text(read_plan_text(text, name)), text) << name;
    }
}

TEST(PlanFile, KeepsStepsThatAreSwitchedOff) {
    const std::string text = head + R"("buckets": ["a"], "pipeline": [
        {"pass": "eliminate_dead_code_pass", "enabled": false}, {"pass": "manual_overlap_bucketing", "enabled": true}]})";
    const Plan plan = read_plan_text(text, "");
    ASSERT_EQ(plan.pipeline.size(), 2u);
    EXPECT_FALSE(plan.pipeline[0].enabled);
    EXPECT_TRUE(plan.pipeline[1].enabled);
    ASSERT_EQ(lower(plan).size(), 1u);  // and does not run them
    EXPECT_EQ(lower(plan)[0].pass, "manual_overlap_bucketing");
    EXPECT_EQ(read_plan_text(write_plan_text(plan), ""), plan);

    EXPECT_NE(error_of(head + R"("pipeline": [{"pass": "eliminate_dead_code_pass", "enabled": 1}]})")
                  .find("pipeline[0].enabled: found 1, expected true or false"),
              std::string::npos);
    // A step that is switched off is still one that could be switched on.
    EXPECT_NE(
        error_of(head + R"("pipeline": [{"pass": "eliminate_ded_code_pass", "enabled": false}]})").find("unknown pass"),
        std::string::npos);
}

}  // namespace
}  // namespace overlap
