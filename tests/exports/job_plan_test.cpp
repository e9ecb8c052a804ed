#include "core/exports/job_plan.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/exports/job_digest.h"
#include "core/io/plan/plan_file.h"
#include "core/io/plan/process_groups_json.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

constexpr const char* joint_pass = "joint_transformer_block_bucketing_reordering_pass";

Plan plan_of(std::vector<PassStep> pipeline) {
    Plan plan;
    plan.buckets = parse_bucket_entries("layers.[0-5], norm+lm_head");
    plan.pipeline = std::move(pipeline);
    return plan;
}

Json job_of(const std::shared_ptr<const Graph>& graph, const Plan& plan) {
    return Json::parse(write_job_plan_text(plan, *evaluate(graph, plan)))["job"];
}

const Json& find(const Json& items, const std::string& target) {
    for (const Json& item : items)
        if (item.is_object() && item.value("target", "") == target) return item;
    static const Json none;
    return none;
}

TEST(JobPlan, DescribesUnchangedNodesByRanges) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Json job = job_of(graph, plan_of({}));
    EXPECT_EQ(job["input"].size(), graph->node_count());
    EXPECT_EQ(job["result"]["nodes"], graph->node_count());
    EXPECT_EQ(job["result"]["digest"], fingerprint(*graph).digest);
    EXPECT_EQ(job["result"]["order"], Json::parse("[[0, " + std::to_string(graph->node_count()) + "]]"));
}

TEST(JobPlan, HasEveryNodeOfTheResult) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Plan plan = plan_of({{joint_pass}});
    const auto result = evaluate(graph, plan);
    const Json job = job_section(plan, *result);
    std::size_t nodes = 0, changed = 0, made = 0;
    for (const Json& item : job["result"]["order"]) {
        nodes += item.is_array() ? item[1].get<std::size_t>() : 1;
        if (item.is_object()) ++(item.contains("from") ? changed : made);
    }
    EXPECT_EQ(nodes, result->graph->node_count());
    EXPECT_GT(changed, 0u);
    EXPECT_EQ(made, static_cast<std::size_t>(std::ranges::count(result->origin, no_node)));
    EXPECT_EQ(job["pipeline"][0]["options"]["module_bucket_plans"].size(), 7u);
    EXPECT_FALSE(job.contains("times"));
}

TEST(JobPlan, TellsWhatDependsOnTheRank) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Json order = job_of(graph, plan_of({{joint_pass}}))["result"]["order"];
    EXPECT_EQ(find(order, "bucketing._pre_bucket_all_gather.default")["args"][4],
              Json::parse(R"({"rank_in": "0", "times": 1, "plus": 0})"));
    const Json slice = find(order, "aten.slice.Tensor")["args"];
    EXPECT_EQ(slice[2]["plus"], 0);
    EXPECT_EQ(slice[3]["plus"], slice[3]["times"]);
    EXPECT_EQ(slice[2]["times"], slice[3]["times"]);
}

TEST(JobPlan, NamesTheGroupsThatPassesCreate) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Json groups = job_of(graph, plan_of({{"reassign_collective_pgs_pass"}, {joint_pass}}))["process_groups"];
    ASSERT_EQ(groups["created"].size(), 1u);
    EXPECT_EQ(groups["created"][0]["source"], "0");
    EXPECT_EQ(groups["created"][0]["name"], "0#fsdp_extra");
    EXPECT_EQ(groups["created"][0]["ranks"], groups["of_graph"][0]["ranks"]);
}

TEST(JobPlan, CarriesSettingsOfGroupsThatPassesCreate) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = plan_of({{"reassign_collective_pgs_pass"}, {joint_pass}});
    EXPECT_FALSE(job_of(graph, plan)["process_groups"]["created"][0].contains("settings"));
    plan.process_groups = {{"0#fsdp_extra", {}, {}, 8, 0}, {"0", true, {}, {}, {}}};
    const Json job = job_of(graph, plan);
    EXPECT_EQ(job["process_groups"]["created"][0]["settings"],
              Json::parse(R"({"high_priority": false, "max_ctas": 8, "cga_cluster_size": 0})"));
    EXPECT_EQ(job["made_from"]["process_groups"], process_groups_json(plan.process_groups));
    const std::vector<std::string> notes = job_plan_notes(plan, *evaluate(graph, plan));
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0], "settings of process group \"0\" are left to the job, which makes that group itself");

    plan.unread_process_groups = UnreadField{"[1]", "process_groups[0]", "found 1, expected an object with a name"};
    EXPECT_THROW(job_of(graph, plan), InputError);
}

TEST(JobPlan, TellsWhatWrappersWrap) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Json job = job_of(graph, plan_of({{joint_pass, {{"insert_overlap_deps", true}}}}));
    const Json& wrapper = find(job["result"]["order"], "higher_order.control_deps");
    ASSERT_TRUE(wrapper.contains("wraps"));
    EXPECT_EQ(wrapper["wraps"]["target"], "_c10d_functional.wait_tensor.default");
    EXPECT_EQ(wrapper["wraps"]["args"], Json::parse(R"([{"input": 0}])"));
}

/// By a table, and once for the nodes of a half; a kept node that has become one of the first half is changed by that.
TEST(JobPlan, TellsWhichHalfANodeBelongsTo) {
    const auto graph = test_graph("deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket");
    Plan plan;
    plan.pipeline = {
        {"populate_chunk_dim_metadata_pass", {{"mode", std::string("batch")}}},
        {"ep_overlap_chunk_pass", {{"mode", std::string("batch")}, {"module_pattern", std::string("layers.*.moe")}}}};
    const auto result = evaluate(graph, plan);
    ASSERT_FALSE(result->refused) << result->refusal->what();
    const Json section = job_section(plan, *result);
    std::size_t places = 0, kept = 0, made = 0;
    for (const Json& item : section["result"]["order"]) {
        if (item.is_array()) {
            places += item[1].get<std::size_t>();
            continue;
        }
        const auto node = static_cast<NodeId>(places++);
        const std::string_view fields = result->graph->text(result->graph->metadata(node).extra_json);
        Json expected = fields.empty() ? Json::object() : Json::parse(fields).value("titan_meta", Json::object());
        expected.erase("recompute");
        ASSERT_EQ(item.contains("chunk"), expected.contains("chunked_region_fqn")) << item;
        if (!item.contains("chunk")) continue;
        Json half = section["chunks"][item["chunk"].get<std::size_t>()];
        if (item.contains("chunked_original_name")) half["chunked_original_name"] = item["chunked_original_name"];
        EXPECT_EQ(half, expected) << item;
        ++(item.contains("from") ? kept : made);
    }
    EXPECT_GT(kept, 100u);
    EXPECT_GT(made, 100u);
    EXPECT_LT(section["chunks"].size(), 100u);
    EXPECT_FALSE(job_section(Plan(), *evaluate(graph, Plan())).contains("chunks"));
}

TEST(JobPlan, CarriesTimesForPassesThatDecideByThem) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8_aot_fw");
    const Json job = job_of(graph, plan_of({{"schedule_overlap_bucketing"}}));
    EXPECT_EQ(job["times"]["node_ms"].size(), graph->node_count());
    EXPECT_TRUE(job["times"]["cost_model"].contains("links"));
}

TEST(JobPlan, KeepsOverlapsThatHoldAndTellsTheOthers) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = plan_of({});
    std::string gather;
    for (NodeId node = 0; node < graph->node_count() && gather.empty(); ++node)
        if (graph->target_info(node).starts == CollectiveKind::all_gather) gather = graph->name(node);
    plan.overlaps.list = {{.collective = gather, .start_after = std::string(graph->name(0))},
                          {.collective = "no_such_collective", .hide_behind = "layers.0"}};
    const auto result = evaluate(graph, plan);
    const Json overlaps = job_section(plan, *result)["overlaps"];
    ASSERT_EQ(overlaps["directives"].size(), 1u);
    EXPECT_EQ(overlaps["directives"][0]["start"], graph->find(gather));
    EXPECT_EQ(overlaps["directives"][0]["edges"], Json::parse("[[" + std::to_string(graph->find(gather)) + ", 0]]"));
    const std::vector<std::string> notes = job_plan_notes(plan, *result);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("no_such_collective"), std::string::npos);
}

TEST(JobPlan, TellsWhatPyTorchCannotDo) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Json job = job_of(
        graph, plan_of({{"manual_overlap_bucketing", {{"safe", true}, {"module_stack_fn", "custom.module_fqn"}}}}));
    EXPECT_EQ(job["exact_only"], "step 1 (manual_overlap_bucketing) has the option safe, which PyTorch does not know");
}

TEST(JobPlan, SaysOfItsModeWhatTheEvaluationSays) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Plan plan =
        plan_of({{"manual_overlap_bucketing", {{"safe", true}, {"module_stack_fn", "custom.module_fqn"}}}});
    const auto result = evaluate(graph, plan);
    const std::vector<std::string> notes = job_plan_notes(plan, *result);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(std::ranges::count(result->problems, notes[0], &Problem::message), 1) << notes[0];
}

TEST(JobPlan, IsNotMadeOfARefusedPlan) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = plan_of({{joint_pass}});
    plan.buckets = parse_bucket_entries("layers.0, layers.0");
    const auto result = evaluate(graph, plan);
    ASSERT_TRUE(result->refused);
    EXPECT_THROW(job_section(plan, *result), InputError);
}

TEST(JobPlan, HasADigestOfEverythingElse) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Json job = job_of(graph, plan_of({{joint_pass}}));
    const Json digest = job["digest"];
    job.erase("digest");
    EXPECT_EQ(digest, value_digest(job));
    job["rank"] = 5;
    EXPECT_NE(digest, value_digest(job));
}

/// tests/torch/test_fingerprint.py has the same value and digest.
TEST(JobPlan, DigestsAreTheJobs) {
    const Json value = Json::parse(R"({"none": null, "flags": [true, false],
        "numbers": [0, -7, 9223372036854775807, 18446744073709551615, 0.1, 1e300, 2.0],
        "texts": ["", "layers.0", "\u00e9\"", "exactly8", "longer than eight"],
        "inner": {"node": "mm", "b": {}, "a": []}})");
    EXPECT_EQ(value_digest(value), "37594863abb520bf");
}

TEST(JobPlan, IsReadAsThePlanThatItWasMadeOf) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    Plan plan = plan_of({{joint_pass}});
    plan.notes = "kept";
    plan.extra = {{"later", "[1]"}};
    const Plan read = read_plan_text(write_job_plan_text(plan, *evaluate(graph, plan)), "step.job.plan.json");
    plan.graph = fingerprint(*graph);
    EXPECT_EQ(read, plan);
    EXPECT_EQ(write_plan_text(read).find("\"job\""), std::string::npos);
}

}  // namespace
}  // namespace overlap
