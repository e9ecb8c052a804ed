#include "tests/pipeline/test_plans.h"

#include <algorithm>
#include <iterator>

#include "core/graph/editing/graph_editor.h"
#include "core/io/plan/plan_file.h"
#include "core/plan/presets.h"

namespace overlap {

namespace {

const std::string joint = "llama3_debugmodel_fsdp8.prebucket";
const std::string whole = "llama3_debugmodel_fsdp8";
const std::string forward = "llama3_debugmodel_fsdp8_aot_fw";
const std::string experts = "deepseek_v3_debugmodel_fsdp8_ep4.prebucket";

std::string step(const std::string& pass, const std::string& options = "") {
    return R"({"pass": ")" + pass + R"(", "options": {)" + options + "}}";
}

/// Bucketing by the names that a joint graph's nodes have.
std::string bucketing(const std::string& options = "") {
    return step("manual_overlap_bucketing",
                R"("module_stack_fn": "custom.module_fqn")" + (options.empty() ? "" : ", " + options));
}

std::string pipeline(const std::vector<std::string>& steps) {
    std::string list;
    for (const std::string& each : steps) list += (list.empty() ? "" : ", ") + each;
    return R"("pipeline": [)" + list + "]";
}

std::string buckets(const std::vector<std::string>& modules) {
    std::string list;
    for (const std::string& each : modules) list += (list.empty() ? "" : ", ") + (R"({"modules": )" + each + "}");
    return R"("buckets": [)" + list + "]";
}

std::string joined(const std::vector<std::string>& fields) {
    std::string text;
    for (const std::string& field : fields) text += (text.empty() ? "" : ", ") + field;
    return text;
}

const std::string blocks = buckets({R"("layers.[0-5]")"});
const std::string good = joined({blocks, pipeline({bucketing()})});
const std::string clean = step("eliminate_dead_code_pass"), canonical = step("canonicalize_graph_pass");
const std::string reassign = step("reassign_collective_pgs_pass"), isolate = step("isolate_ep_process_group_pass");
const std::string schedule = step("schedule_overlap_bucketing");
/// Looks for names of modules that graphs of one direction lack.
const std::string refusing = step("joint_transformer_block_bucketing_reordering_pass");
const std::string off = R"({"pass": "manual_overlap_bucketing", "enabled": false})";

std::string overlaps(const std::string& directives, const std::string& settings = "") {
    return R"("overlaps": {)" + settings + R"("directives": [)" + directives + "]}";
}

const std::string early = R"({"collective": "all_gather_into_tensor_23", "hide_behind": "layers.1"})";
const std::string gone = R"({"collective": "gone", "start_before": "all_gather_into_tensor_2"})";

using Plans = std::vector<TestPlan>;

/// Entries, of the plan and of steps.
Plans plans_with_entries() {
    const std::string misspelt = buckets({R"("layers.0")", R"("layer.1")"});
    const std::string inner = buckets({R"("layers.0")", R"("layers.0.attention")"});
    const std::string own = bucketing(R"("module_bucket_plans": ["layers.0", ["layers.1", "norm"]])");
    const std::string no_entries = step("joint_transformer_block_bucketing_reordering_pass");
    const std::string own_unknown = bucketing(R"("module_bucket_plans": ["layers.99"])");
    return {
        {"empty", joint, "", {}},
        {"blocks", joint, good, {}},
        {"clean_ups", whole, joined({blocks, pipeline({clean, canonical, bucketing()})}), {}},
        {"ordered", joint, joined({blocks, pipeline({bucketing(R"("insert_overlap_deps": true)")})}), {}},
        {"safe", joint, joined({blocks, pipeline({bucketing(R"("safe": true)")})}), {"exact_mode_only", "safe"}},
        {"stacks", forward, joined({blocks, pipeline({step("transformer_block_bucketing_reordering_pass")})}), {}},
        {"own_entries", joint, pipeline({own}), {}},
        {"own_and_of_plan", joint, joined({buckets({R"("layers.2")"}), pipeline({own, bucketing()})}), {}},
        {"own_of_a_later_step", joint, pipeline({no_entries, own}), {}},
        {"own_unknown", joint, pipeline({own_unknown}), {"unknown_module"}},
        {"unknown", joint, joined({misspelt, pipeline({bucketing()})}), {"unknown_module"}},
        {"unknown_later", whole, joined({misspelt, pipeline({clean, bucketing()})}), {"unknown_module"}},
        {"empty_entry", joint, joined({buckets({"[]", R"("norm")"}), pipeline({bucketing()})}), {"empty_entry"}},
        {"nothing_gathered",
         joint,
         joined({buckets({R"("layers.0.attention.rope")"}), pipeline({bucketing()})}),
         {"nothing_gathered"}},
        {"overlapping",
         joint,
         joined({inner, pipeline({bucketing()})}),
         {"overlapping_entries"},
         "step 1 (manual_overlap_bucketing), bucket plans"},
        {"twice",
         joint,
         joined({buckets({R"(["norm", "norm"])"}), pipeline({clean, bucketing()})}),
         {"overlapping_entries"},
         "step 2 (manual_overlap_bucketing), bucket plans"},
        {"overlapping_of_a_step",
         joint,
         pipeline({bucketing(R"("module_bucket_plans": ["layers.0", "layers.0.attention"])")}),
         {"refused"},
         "step 1 (manual_overlap_bucketing), bucket plans"},
        {"overlapping_but_refused_for_more",
         joint,
         joined({inner, pipeline({step("schedule_fsdp_comms_to_dense_regions_pass",
                                       R"("moe_layer_ids": [], "n_layers": 60, "strict": true)")})}),
         {"overlapping_entries", "buckets_not_taken", "refused"},
         "step 1 (schedule_fsdp_comms_to_dense_regions_pass)"},
        {"other_source", joint, joined({blocks, pipeline({step("manual_overlap_bucketing")})}), {"no_modules"}},
        {"bucketed_twice", joint, joined({blocks, pipeline({bucketing(), bucketing()})}), {"not_idempotent"}},
        {"not_taken", joint, joined({blocks, pipeline({clean})}), {"buckets_not_taken"}},
        {"one_off", joint, joined({blocks, pipeline({off, clean, bucketing()})}), {}},
        {"taken_from_a_step",
         joint,
         joined({blocks, pipeline({bucketing(R"("module_bucket_plans": ["layers.0"])")})}),
         {"buckets_not_taken"}},
        {"all_off", joint, joined({blocks, pipeline({off})}), {"buckets_not_taken"}},
        {"without_times", joint, good, {}, "", false},
    };
}

/// Memory sections.
Plans plans_with_memory() {
    const auto memory = [](const std::string& fields) { return R"("memory": {)" + fields + "}"; };
    const std::string clean_ups =
        pipeline({clean, canonical, step("deduplicate_fsdp_unshard_chains_pass"), bucketing()});
    const std::string kept = R"("policy": "full", "rules": [{"action": "keep", "modules": "layers.[4-5]"}])";
    const std::string void_rule = R"("rules": [{"action": "save", "modules": "layers.0"}, {"action": "recompute"}])";
    const std::string unknown = R"("rules": [{"action": "save", "modules": "layers.77"}])";
    return {
        {"memory",
         whole,
         joined({blocks, clean_ups, memory(kept)}),
         {"duplicate_unshard", "exact_mode_only", "memory_passes_added", "memory_tags", "users_order_open"}},
        {"memory_void_rule",
         whole,
         joined({clean_ups, memory(void_rule)}),
         {"duplicate_unshard", "exact_mode_only", "memory_passes_added", "memory_tags", "memory_rule_void",
          "users_order_open"}},
        {"memory_unknown",
         whole,
         joined({clean_ups, memory(unknown)}),
         {"duplicate_unshard", "exact_mode_only", "memory_passes_added", "memory_tags", "memory_rule_unmatched",
          "users_order_open"}},
    };
}

/// Process groups: a plan's settings for them, and passes that make them.
Plans plans_with_groups() {
    const auto groups = [](const std::string& list) { return R"("process_groups": [)" + list + "]"; };
    const std::string unknown = R"({"name": "9"})", known = R"({"name": "0", "max_ctas": 4})";
    const std::string wrong = R"({"name": "0", "max_ctas": 0})", misspelt = R"({"name": "0", "max_ctass": 4})";
    const std::string gathers = R"({"name": "0#fsdp_extra", "high_priority": true})";
    return {
        {"newer", joint, joined({good, R"("of_a_newer_writer": 1)"}), {"not_evaluated"}},
        {"group_settings", joint, joined({good, groups(known)}), {}},
        {"unknown_group", joint, joined({good, groups(unknown)}), {"not_evaluated"}},
        {"second_group_unknown", joint, joined({good, groups(known + ", " + unknown)}), {"not_evaluated"}},
        {"wrong_setting", joint, joined({good, groups(wrong)}), {"not_evaluated"}},
        {"misspelt_setting", joint, joined({good, groups(misspelt)}), {"not_evaluated"}},
        {"made_group", joint, joined({pipeline({reassign}), groups(gathers)}), {"extra_group"}},
        {"no_made_group", joint, joined({pipeline({isolate}), groups(gathers)}), {"not_evaluated", "no_new_group"}},
        {"nothing_to_isolate", joint, pipeline({isolate}), {"no_new_group"}},
        {"reassigned_twice", joint, pipeline({reassign, reassign}), {"extra_group", "reassigned_again"}},
        {"experts", experts, pipeline({isolate, reassign}), {"extra_group", "no_new_group"}},
    };
}

/// What a plan has besides its pipeline.
Plans plans_with_more() {
    const auto rule = [](const std::string& node) {
        return R"("module_rules": [{"kind": "nodes", "module": "extra", "nodes": [")" + node +
               R"("], "override": true}])";
    };
    const std::string order = R"--("device_orders": [{"parameters": "none.*", "mesh": ["0"], "order": "S(0)"}])--";
    return {
        {"by_hand", joint, joined({good, overlaps(early)}), {"read_before_fill"}},
        {"by_hand_alone", joint, overlaps(early), {}},
        {"by_hand_gone", joint, joined({good, overlaps(early + ", " + gone)}), {"overlap_refused", "read_before_fill"}},
        {"by_hand_wrapped",
         joint,
         joined({good, overlaps(early, R"("insert_overlap_deps": true, )")}),
         {"read_before_fill"}},
        {"device_order", joint, joined({good, order}), {"unknown_parameter"}},
        {"rule", joint, joined({good, rule("mm")}), {}},
        {"rule_of_nothing", joint, joined({good, rule("no_such_node")}), {"module_rule_unmatched"}},
    };
}

/// Passes that choose buckets and orders themselves, refusals, and presets.
Plans plans_with_other_passes() {
    const std::string merging = step("schedule_overlap_bucketing", R"("collective_bucketing": true)");
    const std::string gathers = step("bucket_all_gather"), sort = step("stable_topological_sort");
    return {
        {"scheduled", joint, pipeline({schedule}), {}},
        {"scheduled_later", whole, pipeline({clean, canonical, schedule}), {}},
        {"scheduled_and_merged", joint, pipeline({merging}), {}},
        {"scheduled_without_times",
         joint,
         pipeline({clean, schedule}),
         {"refused"},
         R"(step 2 (schedule_overlap_bucketing), node "index")",
         false},
        {"gathers", joint, pipeline({gathers}), {"order_left_open"}},
        {"gathers_beforehand", joint, pipeline({step("pre_bucket_fsdp_collectives")}), {"order_left_open"}},
        {"gathers_and_sorted", joint, pipeline({gathers, sort}), {"order_left_open"}},
        {"refused",
         forward,
         joined({blocks, pipeline({refusing})}),
         {"no_modules", "refused"},
         "step 1 (joint_transformer_block_bucketing_reordering_pass)"},
        {"refused_later",
         forward,
         joined({blocks, pipeline({off, clean, refusing, canonical}), overlaps(gone)}),
         {"no_modules", "refused"},
         "step 2 (joint_transformer_block_bucketing_reordering_pass)"},
        {"preset_default", joint, "preset torchtitan_default", {}},
        {"preset_performance",
         joint,
         "preset torchtitan_performance",
         {"extra_group", "not_scheduled", "waits_at_end"}},
        {"preset_of_whole",
         whole,
         "preset torchtitan_performance",
         {"duplicate_unshard", "extra_group", "memory_tags", "not_scheduled", "users_order_open", "waits_at_end"}},
        {"preset_of_forward", forward, "preset torchtitan_default", {}},
        {"preset_of_experts",
         experts,
         "preset torchtitan_performance",
         {"extra_group", "no_new_group", "not_scheduled", "waits_at_end"}},
    };
}

Plans make_plans() {
    Plans all;
    for (Plans plans :
         {plans_with_entries(), plans_with_memory(), plans_with_groups(), plans_with_more(), plans_with_other_passes()})
        std::ranges::move(plans, std::back_inserter(all));
    return all;
}

}  // namespace

Plan TestPlan::plan(const Graph& on) const {
    if (fields.starts_with("preset ")) {
        const std::vector<PipelinePreset> presets = pipeline_presets(on);
        return plan_of(*std::ranges::find(presets, fields.substr(7), &PipelinePreset::name), on, name);
    }
    return read_plan_text(R"({"format": "overlap-plan", "version": 1)" + (fields.empty() ? "" : ", " + fields) + "}",
                          name);
}

const std::vector<TestPlan>& test_plans() {
    static const std::vector<TestPlan> plans = make_plans();
    return plans;
}

std::shared_ptr<const Graph> without_times(const std::shared_ptr<const Graph>& graph) {
    GraphEditor editor(graph);
    for (NodeId node = 0; node < graph->node_count(); ++node) editor.set_estimate(node, std::nullopt);
    GraphHeader header = graph->header();
    header.cost.reset();
    editor.set_header(std::move(header));
    std::vector<NodeId> origin;
    return editor.finish(origin);
}

}  // namespace overlap
