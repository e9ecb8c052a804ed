// What exports say of a small step, word for word.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/exports/expert_overlap_notes.h"
#include "core/exports/protobuf_writer.h"
#include "core/files/ordered_json.h"
#include "core/io/plan/plan_file.h"
#include "tests/exports/small_step.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

/// `a` and `b` are one bucket, `c` is in none, and an entry has nothing.
Plan small_plan(const test::SmallStep& step) {
    Plan plan = make_plan(*step.graph(), "Plan A");
    plan.buckets = {{{"layers.0"}}, {{"head"}}};
    plan.overlaps.list = {{.collective = "c", .start_before = "one"}, {.collective = "gone", .start_after = "one"}};
    DeviceOrder order;
    order.parameters = "w";
    order.mesh = {"3", "1"};
    order.order = "S(0)";
    plan.device_orders = {order};
    return plan;
}

std::string small_export(std::string_view format) {
    const test::SmallStep step;
    return step.exported(format, small_plan(step)).bytes;
}

/// The words of a page: a line for each row of a table and each paragraph, `|` between cells.
std::string words(std::string_view html) {
    std::string text;
    const auto put = [&](char letter) {
        const bool space = text.empty() || text.back() == ' ' || text.back() == '\n';
        if (letter == '\n' && !text.empty() && text.back() == ' ') text.pop_back();
        if (letter != ' ' || !space) text += letter;
    };
    while (!html.empty()) {
        if (html.front() != '<') {
            put(html.front() == '\n' ? ' ' : html.front());
            html.remove_prefix(1);
            continue;
        }
        const std::string_view tag = html.substr(1, html.find('>') - 1);
        html.remove_prefix(tag.size() + 2);
        put(tag == "/tr" || tag == "/p" || tag == "/div" ? '\n' : tag == "/td" ? '|' : ' ');
    }
    return text;
}

/// The words of a section without its title and its tables' heads.
std::string section(const std::string& html, const std::string& title) {
    const std::string heading = "<h2>" + title + "</h2>";
    const std::size_t begin = html.find(heading);
    if (begin == std::string::npos) return "missing";
    std::string found = html.substr(begin + heading.size(), html.find("<h2>", begin + 4) - begin - heading.size());
    for (std::size_t head = found.find("<thead>"); head != std::string::npos; head = found.find("<thead>"))
        found.erase(head, found.find("</thead>") - head + 8);
    return words(found);
}

TEST(SmallTables, HaveARowForEachBucketAndCollective) {
    EXPECT_EQ(small_export("buckets.csv"),
              "bucket,title,modules,collective,kind,process_group,dtype,member_count,members,bytes,start_ms,end_ms,"
              "duration_ms,exposed_ms,cause\r\n"
              "1,layers.0,\"[\"\"layers.0\"\"]\",all_gather_into_tensor_out,all_gather,0,float32,2,"
              "\"[\"\"a\"\",\"\"b\"\"]\",2097152,0.002621,2.099773,2.097152,2.097152,producer_late\r\n"
              "2,head,\"[\"\"head\"\"]\",,,,,0,[],,,,,,\r\n");
    EXPECT_EQ(small_export("collectives.csv"),
              "collective,kind,process_group,module,bucket,title,member_count,bytes,start_ms,end_ms,duration_ms,"
              "exposed_ms,cause,issue_ms,ready_ms,wait,blocker,explanation\r\n"
              "all_gather_into_tensor_out,all_gather,0,layers.0,1,layers.0,2,2097152,0.002621,2.099773,2.097152,"
              "2.097152,producer_late,0,0.002621,wait_tensor,,\"waits 2.097 ms: it starts the graph, right before "
              "wait_tensor; the all-gather takes 2.097 ms; waited for, with what needs it, only after three, it would "
              "have enough compute to hide behind\"\r\n"
              "c,all_gather,0,layers.1,,,1,524288,2.101871,2.626159,0.524288,0,none,0,2.101871,wait_c,,\r\n");
}

TEST(SmallReport, FiguresStandBesideThoseOfTheGraphAsItIs) {
    const std::string html = small_export("report");
    const std::size_t begin = html.find("<div class=\"figures\">");
    EXPECT_EQ(words(html.substr(begin, html.find("<h2>") - begin)),
              "Step 5.102 ms −0.52 ms (−9.2 %) from 5.621 ms\n"
              "Exposed communication 2.097 ms −0.524 ms (−20.0 %) from 2.621 ms\n"
              "Peak memory 4.625 MiB +2 MiB (+76.2 %) from 2.625 MiB\n"
              "Collectives 2 −1 (−33.3 %) from 3\n"
              "Compute 3.005 ms +4.719 µs (+0.2 %) from 3 ms\n\n");
}

TEST(SmallReport, EachSectionHasItsRows) {
    const std::string html = small_export("report");
    EXPECT_EQ(
        section(html, "Buckets"),
        "1| layers.0 | all_gather_into_tensor_out | all_gather| 2| 2 MiB| 2.097 ms| 2.097 ms| producer late|\n\n");
    const std::string unknown =
        "the graph has no collective &quot;gone&quot;; there are: &quot;all_gather_into_tensor_out&quot;, "
        "&quot;c&quot;";
    EXPECT_EQ(section(html, "Overlaps by hand"),
              "c is issued before one| holds|\ngone is issued after one| " + unknown + "|\n\n");
    EXPECT_EQ(section(html, "Device orders"),
              "w | 3 , 1 | S(0) | 0 ms|\n\n"
              "The job lays parameters out, so these change neither the graph nor the figures above.\n");
    const std::string problems = section(html, "Problems and hazards");
    EXPECT_TRUE(problems.starts_with(
        "caution | Unknown module| &quot;head&quot; matches no module (PyTorch would ignore it silently).|\n"))
        << problems;
    EXPECT_TRUE(problems.ends_with(
        "caution | Overlap refused| overlap 2 (gone is issued after one) is left out: " + unknown + ".|\n\n"))
        << problems;
    EXPECT_TRUE(section(html, "Passes").starts_with("1| manual_overlap_bucketing | insert_overlap_deps = false "));
}

TEST(SmallReport, ABucketSaysWhyItIsExposedWhereItIs) {
    const test::SmallStep step;
    const Plan plan = small_plan(step);
    const auto why = [&](double exposed_ms) {
        Evaluation result = *evaluate(step.graph(), plan);
        result.simulation.collectives.at(0).exposed_ms = exposed_ms;
        const ExportInput input{plan, std::make_shared<const Evaluation>(std::move(result)),
                                evaluate_baseline(step.graph()), "test", ""};
        const std::string row = section(write_export(require_export_format("report"), input).bytes, "Buckets");
        return row.substr(row.find("ms|", row.find("ms|") + 1));
    };
    EXPECT_EQ(why(0), "ms| |\n\n");
    EXPECT_EQ(why(0.5), "ms| producer late|\n\n");
}

TEST(SmallReport, EightModulesOfABucketAreNamed) {
    const test::SmallStep step;
    Plan plan = small_plan(step);
    const auto named = [&](int modules) {
        plan.buckets[0].modules = {"layers.0"};
        for (int module = 1; module < modules; ++module)
            plan.buckets[0].modules.push_back("m" + std::to_string(module));
        const std::string row = section(step.exported("report", plan).bytes, "Buckets");
        return row.substr(0, row.find("all_gather"));
    };
    const std::string eight = "1| layers.0 , m1 , m2 , m3 , m4 , m5 , m6 , m7";
    EXPECT_EQ(named(8), eight + " | ");
    EXPECT_EQ(named(10), eight + " and 2 more| ");
}

TEST(SmallReport, TimelinesAreDrawnToOneScale) {
    const std::string html = small_export("report");
    std::vector<std::string> pictures;
    for (std::size_t begin = html.find("<svg class=\"picture\""); begin != std::string::npos;
         begin = html.find("<svg class=\"picture\"", begin + 1))
        pictures.push_back(html.substr(begin, html.find("</svg>", begin) - begin));
    ASSERT_EQ(pictures.size(), 3u);
    EXPECT_EQ(pictures[0],
              R"(<svg class="picture" viewBox="0 0 1180 78" role="img"><title>Timeline of the graph as it is</title>
<path class="grid" d="M170 18V78"/>
<text class="tick" x="170" y="14">0 ms</text>
<path class="grid" d="M347.89 18V78"/>
<text class="tick" x="347.89" y="14">1 ms</text>
<path class="grid" d="M525.78 18V78"/>
<text class="tick" x="525.78" y="14">2 ms</text>
<path class="grid" d="M703.67 18V78"/>
<text class="tick" x="703.67" y="14">3 ms</text>
<path class="grid" d="M881.56 18V78"/>
<text class="tick" x="881.56" y="14">4 ms</text>
<path class="grid" d="M1059.45 18V78"/>
<text class="tick" x="1059.45" y="14">5 ms</text>
<text class="lane" x="0" y="37">Compute</text>
<path class="r1" d="M543.06 22H898.84v22H543.06zM992.11 22H1170v22H992.11z"/>
<path class="stall" d="M170 22H543.06v22H170zM898.84 22H992.11v22H898.84z"/>
<text class="lane" x="0" y="65">FSDP gathers</text>
<path class="r12" d="M170 50H543.06v22H170zM898.84 50H992.11v22H898.84z"/>
<path class="end" d="M1170 18V78"/>
)");
    EXPECT_TRUE(pictures[1].ends_with("<path class=\"end\" d=\"M1077.57 18V78\"/>\n")) << pictures[1];
    EXPECT_TRUE(
        pictures[2].ends_with("<text class=\"lane\" x=\"0\" y=\"32\">4.625 MiB</text>\n"
                              "<text class=\"lane\" x=\"0\" y=\"132\">0</text>\n"));
}

TEST(SmallPerfetto, EachRowIsATrackOfTheProcess) {
    const std::string bytes = small_export("perfetto");
    const auto holds = [&](ProtobufMessage part) { return bytes.find(part.bytes()) != std::string::npos; };
    EXPECT_TRUE(holds(ProtobufMessage().integer(1, 3).text(2, "Compute").integer(5, 1).integer(12, 0)));
    const auto argument = [](std::string_view name, std::string_view value) {
        return ProtobufMessage().message(4, ProtobufMessage().text(10, name).text(6, value));
    };
    EXPECT_TRUE(holds(argument("target", "aten.dot.default")));
    EXPECT_TRUE(holds(argument("process_group", "0")));
    EXPECT_TRUE(holds(argument("cause", "producer_late")));
    EXPECT_TRUE(holds(argument("cause", "none")));
    EXPECT_NE(bytes.find("waits 2.097 ms: it starts the graph"), std::string::npos);
    EXPECT_NE(bytes.find("explanation"), std::string::npos);
    EXPECT_EQ(bytes.find("explanation"), bytes.rfind("explanation"));
}

TEST(SmallJob, HasEveryNodeAndWhatDependsOnTheRank) {
    const test::SmallStep step;
    Plan plan = small_plan(step);
    plan.pipeline[0].options["safe"] = false;
    const Json job = Json::parse(step.exported("job", plan).bytes)["job"];
    EXPECT_EQ(job["input"].size(), step.graph()->node_count());
    EXPECT_EQ(job["input"][0]["name"], "x");
    EXPECT_EQ(job["outputs"].size(), 8u);
    EXPECT_EQ(job["process_groups"].dump(),
              R"({"of_graph":[{"name":"0","ranks":[0,1,2,3],"description":"fsdp"}],"created":[]})");
    EXPECT_FALSE(job.contains("exact_only"));
    const Json& order = job["result"]["order"];
    EXPECT_EQ(order[1]["args"][4].dump(), R"({"rank_in":"0","times":1,"plus":0})");
    EXPECT_EQ(order[2]["args"].dump(), R"([{"node":"_pre_bucket_all_gather"},0,)"
                                       R"({"rank_in":"0","times":131072,"plus":0},)"
                                       R"({"rank_in":"0","times":131072,"plus":131072}])");
}

TEST(SmallJob, ModulesThatRulesGiveAreRangesOfNodes) {
    const test::SmallStep step;
    Plan plan = small_plan(step);
    ModuleRule rule;
    rule.kind = ModuleRule::Kind::nodes;
    rule.nodes = {"a", "wait_a", "b", "one"};
    rule.module = "given";
    rule.override_own = true;
    plan.module_rules = {rule};
    plan.buckets = {{{"given"}}};
    EXPECT_EQ(Json::parse(step.exported("job", plan).bytes)["job"]["given_modules"].dump(), "[[4,3,1],[8,1,1]]");
}

TEST(SmallJob, StacksOfModulesAreKept) {
    GraphBuilder builder;
    const ModuleStackEntry forward[] = {{builder.intern("layers.0"), builder.intern("Block")}};
    NodeMetadata metadata;
    metadata.module_stack = builder.module_stack(forward);
    builder.call("call", "aten.ones.default", {}, {}, metadata);
    builder.output({});
    const auto graph = std::make_shared<const Graph>(builder.finish({}));
    const Plan plan;
    const ExportInput input{plan, evaluate(graph, plan), evaluate_baseline(graph), "test", ""};
    EXPECT_EQ(Json::parse(write_export(require_export_format("job"), input).bytes)["job"]["modules"].dump(),
              R"([{"module_stack":[["layers.0","Block"]]}])");
}

TEST(SmallJob, WhatAnOverlapByHandWrapsIsToldAfterAllSteps) {
    const test::SmallStep step;
    Plan plan = small_plan(step);
    plan.overlaps.list = {{.collective = "c", .start_after = "one"}};
    plan.overlaps.insert_overlap_deps = true;
    plan.pipeline.push_back({"stable_topological_sort"});
    std::vector<std::string> wrapped;
    const Json document = Json::parse(step.exported("job", plan).bytes);
    for (const Json& item : document["job"]["result"]["order"])
        if (item.is_object() && item.contains("wraps"))
            wrapped.push_back(item["name"].get<std::string>() + " " + item["wraps"].dump());
    EXPECT_EQ(wrapped, std::vector<std::string>{R"(c {"target":"_c10d_functional.all_gather_into_tensor.default",)"
                                                R"("args":[{"input":0},4,"0"],"kwargs":{}})"});
}

TEST(SmallPlan, IsWrittenAlsoWhereItIsRefused) {
    const test::SmallStep step;
    Plan plan = small_plan(step);
    EXPECT_EQ(step.exported("plan", plan).bytes, write_plan_text(plan));
    plan.buckets = {{{"layers.0"}}, {{"layers.0"}}};
    EXPECT_EQ(step.exported("plan", plan).bytes, write_plan_text(plan));
    EXPECT_TRUE(test::problem_of([&] {
                    step.exported("buckets.csv", plan);
                }).starts_with("the plan is refused, so there is nothing to export: step 1"));
}

TEST(SmallPrefetch, NotesNameWhatIsLeftOutAlone) {
    const test::SmallStep step;
    Plan plan = make_plan(*step.graph(), "Plan A");
    plan.buckets = {{{"layers.0"}}, {{"layers.1"}}};
    const ExportOutput output = step.exported("fsdp2", plan);
    EXPECT_EQ(output.notes, std::vector<std::string>{"FSDP2 starts a gather when the unit before it begins to compute, "
                                                     "and places reduce-scatters and waits itself"});
    EXPECT_NE(output.bytes.find("def set_prefetch(model)"), std::string::npos);
}

/// The number of static inputs is taken from the graph's file where it is a whole one.
TEST(ExpertOverlap, StaticInputsAreThoseOfTheFile) {
    const auto inputs = [](const std::string& extra) {
        GraphHeader header;
        header.extra_json = extra;
        GraphBuilder builder;
        builder.output({});
        const PassStep step = with_static_inputs({"ep_overlap_chunk_pass"}, builder.finish(header));
        const OptionValue* given = step.options.find("num_static_inputs");
        return given ? describe(*given) : "none";
    };
    EXPECT_EQ(inputs(R"({"num_static_inputs":12})"), "12");
    EXPECT_EQ(inputs(R"({"num_static_inputs":1.5})"), "none");
    EXPECT_EQ(inputs("{}"), "none");
}

}  // namespace
}  // namespace overlap
