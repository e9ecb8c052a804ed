#include "core/exports/export_format.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/error.h"
#include "core/io/graph_file.h"
#include "core/plan/presets.h"

namespace overlap {
namespace {

std::shared_ptr<const Graph> small_graph() {
    return read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
}

std::string error_of(const ExportFormat& format, const ExportInput& input) {
    try {
        write_export(format, input);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(ExportFormats, AreWholeAndToldApart) {
    std::set<std::string_view> names, suffixes, titles;
    for (const ExportFormat& format : export_formats()) {
        EXPECT_TRUE(names.insert(format.name).second) << format.name;
        EXPECT_TRUE(suffixes.insert(format.suffix).second) << format.suffix;
        EXPECT_TRUE(titles.insert(format.title).second) << format.title;
        EXPECT_TRUE(format.suffix.starts_with('.')) << format.suffix;
        EXPECT_FALSE(format.help.empty() || format.help.ends_with('.')) << format.help;
        EXPECT_EQ(&require_export_format(format.name), &format);
    }
}

TEST(ExportFormats, AnUnknownNameNamesTheNearest) {
    try {
        require_export_format("reprot");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("nearest: \"report\""), std::string::npos) << error.what();
    }
}

TEST(ExportFormats, ActOnTheStepsThatWereRun) {
    const auto graph = small_graph();
    Plan plan = make_plan(*graph, "Plan A");
    plan.buckets = {{{"layers.0"}}};
    plan.pipeline.insert(plan.pipeline.begin(), {"eliminate_dead_code_pass", {}, false});
    const auto result = evaluate(graph, plan);
    ASSERT_EQ(result->resolved->steps.size(), 1u);
    EXPECT_EQ(steps_that_run(plan, result.get()), std::vector{result->resolved->steps[0].step});
    EXPECT_EQ(steps_that_run(plan, nullptr), lower(plan));
    Plan edited = plan;
    edited.buckets.clear();
    EXPECT_EQ(steps_that_run(edited, result.get()), lower(plan));
}

TEST(ExportFormats, AGraphWithoutTimesHasNoFigures) {
    const auto graph = read_graph_text(R"({"format": "overlap-graph", "version": 1, "nodes": [
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "kwargs": {},
         "outputs": [{"dtype": "float32", "shape": [4], "stride": [1], "device": "cuda:0", "storage": 0,
                      "storage_bytes": 16}]},
        {"name": "y", "op": "call_function", "target": "aten.exp.default", "args": [{"node": "x"}], "kwargs": {},
         "outputs": [{"dtype": "float32", "shape": [4], "stride": [1], "device": "cuda:0", "storage": 1,
                      "storage_bytes": 16}]}]})",
                                       "graph");
    Plan plan;
    const ExportInput input{plan, evaluate(graph, plan), evaluate_baseline(graph), "test", ""};
    for (const ExportFormat& format : export_formats()) {
        if (format.needs != ExportNeeds::figures) continue;
        EXPECT_NE(error_of(format, input).find("time of a node"), std::string::npos) << format.name;
    }
}

TEST(ExportFormats, NothingIsLeftOutForAPresetOfTheTrainer) {
    const auto graph = small_graph();
    const Plan plan = plan_of(pipeline_presets(*graph).front(), *graph, "preset");
    const ExportInput input{plan, evaluate(graph, plan), evaluate_baseline(graph), "test", ""};
    EXPECT_TRUE(write_export(require_export_format("graph_trainer"), input).notes.empty());
}

TEST(ExportFileName, HoldsNoPathAndNoSurprise) {
    const ExportFormat& format = require_export_format("report");
    const auto name = [&](std::string_view graph, std::string_view plan) {
        return export_file_name(format, graph, plan);
    };
    EXPECT_EQ(name("llama3_8b", "Plan A"), "llama3_8b.Plan_A.report.html");
    EXPECT_EQ(name("", "Plan A"), "Plan_A.report.html");
    EXPECT_EQ(name("../g", "../../etc/passwd"), "g.etc_passwd.report.html");
    EXPECT_EQ(name("-rf \n\"'", "-rf \n\"'"), "rf.rf.report.html");
    EXPECT_EQ(name("名前", "名前"), "plan.report.html");
    EXPECT_EQ(name("", ""), "plan.report.html");
    EXPECT_EQ(name("", "a_b-c.1"), "a_b-c.1.report.html");
    EXPECT_EQ(name("", "plan_._"), "plan.report.html");
    const std::string longest(5000, 'x');
    EXPECT_EQ(name(longest, longest).size(), 2 * 80 + 1 + format.suffix.size());
}

}  // namespace
}  // namespace overlap
